import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { isObject, type Json } from '../terms/json.js';

/** More than the last line of a run that went well; whatever else stands there is read in full by whoever asks. */
const TAIL_BYTES = 4096;

/**
 * Whether the last line of a journal says that its run was done or released, told from the file's end alone: an inventory keeps all its
 * runs, and each apply asks this of every one. False also when there is no telling.
 */
export function endedWell(file: string): boolean {
  const last = tailOf(file).trimEnd().split('\n').at(-1) ?? '';
  const event = eventIn(last);
  return event?.['e'] === 'run-ended' && (event['as'] === 'done' || event['as'] === 'released');
}

function tailOf(file: string): string {
  let fd: number;
  try {
    fd = openSync(file, 'r');
  } catch {
    return '';
  }
  try {
    const { size } = fstatSync(fd);
    const from = Math.max(0, size - TAIL_BYTES);
    const bytes = Buffer.alloc(size - from);
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, from));
  } finally {
    closeSync(fd);
  }
}

function eventIn(line: string): Readonly<Record<string, Json>> | undefined {
  try {
    const recorded = JSON.parse(line) as Json;
    return isObject(recorded) && isObject(recorded['event']) ? recorded['event'] : undefined;
  } catch {
    return undefined;
  }
}
