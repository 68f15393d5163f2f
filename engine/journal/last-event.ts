import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { jsonOrUndefined } from '../lib/json.js';
import { wholeLines } from '../lib/lines.js';
import { isObject, type Json, type JsonObject } from '../terms/json.js';
import { isEarlier, isUnchained } from './earlier.js';
import { sumIn, unseal } from '../lib/sealed.js';

/** More than the last two lines of a run that went well; whatever else stands there is read in full by whoever asks. */
const TAIL_BYTES = 4096;
const NEWLINE = 0x0a;

/**
 * Whether the last line of a journal says that its run was done or released, told from the file's end alone: an inventory keeps all its
 * runs, and each apply asks this of every one. False also when there is no telling.
 */
export function endedWell(file: string): boolean {
  const tail = tailOf(file);
  if (tail.at(-1) !== NEWLINE) return false;
  const lines = wholeLines(tail);
  const [line, former] = [lines.at(-1), lines.at(-2)];
  if (line === undefined) return false;
  const sealed = unseal(line, former === undefined || isUnchained(file) ? '' : sumIn(former));
  const event = eventIn(sealed ?? (isEarlier(file) ? jsonOrUndefined(line.toString('utf8')) : undefined));
  return event?.['e'] === 'run-ended' && (event['as'] === 'done' || event['as'] === 'closed');
}

function tailOf(file: string): Buffer {
  let fd: number;
  try {
    fd = openSync(file, 'r');
  } catch {
    return Buffer.alloc(0);
  }
  try {
    const { size } = fstatSync(fd);
    const from = Math.max(0, size - TAIL_BYTES);
    const bytes = Buffer.alloc(size - from);
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, from));
  } finally {
    closeSync(fd);
  }
}

function eventIn(recorded: Json | undefined): JsonObject | undefined {
  return isObject(recorded) && isObject(recorded['event']) ? recorded['event'] : undefined;
}
