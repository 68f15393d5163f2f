import { escapeUnits } from '../lib/escape-units.js';
import { isObject } from '../terms/json.js';
import type { SyncedRecord } from './journal.js';
import { seal, unseal } from '../lib/sealed.js';

/**
 * What the file beside a lease says: the last record that was synced before the last action there. A journal of that run which lacks the record
 * is older than the host: something was done that it does not know. Behind the record anything may be missing.
 */
export interface HostMarker extends SyncedRecord {
  readonly run: string;
  /** The step whose action it was. */
  readonly step: string;
}

/** All markers have one length, so that one is written over another in place. */
const LENGTH = 480;

/** As a line without its end, of ASCII alone: what a shell compares and prints byte by byte. */
export function markerText({ run, first, seq, sum, step }: HostMarker): string {
  const of = (named: string): string => seal(ascii(JSON.stringify({ run, first, record: seq, of: sum, step: named })));
  const line = of(step);
  return (line.length <= LENGTH ? line : of('')).padEnd(LENGTH);
}

const ascii = (json: string): string => json.replace(/[^ -~]/g, escapeUnits);

/** Undefined where it is not what was written there: that is no damage of a journal. */
export function readMarker(text: string): HostMarker | undefined {
  try {
    const marker = unseal(Buffer.from(text.trimEnd()));
    if (!isObject(marker)) return undefined;
    const { run, first, record, of, step } = marker;
    return typeof run === 'string' &&
      typeof first === 'string' &&
      typeof record === 'number' &&
      typeof of === 'string' &&
      typeof step === 'string'
      ? { run, first, seq: record, sum: of, step }
      : undefined;
  } catch {
    return undefined;
  }
}

/** The number of records of a journal, by their checksums, that is older than the host; undefined where it is not, or the marker is of another run. */
export const recordsOfOlder = (sums: readonly string[], { first, seq, sum }: HostMarker): number | undefined =>
  sums[0] !== first || sums[seq - 1] === sum ? undefined : sums.length;
