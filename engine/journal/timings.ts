import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jsonOrUndefined } from '../lib/json.js';
import type { Recorded } from '../terms/event.js';
import { isObject } from '../terms/json.js';
import { stepOf } from '../terms/step-time.js';
import type { StepPath } from '../terms/task.js';
import type { RunFolder } from './run-folder.js';
import { MOST_OF, readFileWithin } from '../lib/bounded-file.js';

/** How long steps took on their hosts, milliseconds: the shortest and the longest. By the names of play and step. */
export type Timings = ReadonlyMap<string, readonly [minMs: number, maxMs: number]>;

/** What a step is called in the timings, whichever playbook imports its play; undefined: what it takes is not kept. */
export type TimingName = (step: StepPath, as: 'done' | 'ok') => string | undefined;

const fileOf = ({ path }: RunFolder): string => join(path, 'timings.json');

function timingsOf(events: readonly Recorded[], nameOf: TimingName): Timings {
  const all = new Map<string, readonly [number, number]>();
  for (const { event } of events) {
    if (event.e !== 'settled' || (event.as !== 'done' && event.as !== 'ok')) continue;
    const name = nameOf(stepOf(event.task.step), event.as);
    if (name === undefined) continue;
    const [min, max] = all.get(name) ?? [event.tookMs, event.tookMs];
    all.set(name, [Math.min(min, event.tookMs), Math.max(max, event.tookMs)]);
  }
  return all;
}

/** Kept beside the journal for the estimates of later plans; a file that cannot be written is done without. */
export function keepTimings(folder: RunFolder, events: readonly Recorded[], nameOf: TimingName): void {
  try {
    writeFileSync(fileOf(folder), JSON.stringify(Object.fromEntries(timingsOf(events, nameOf))), { mode: 0o600 });
  } catch {
    // The run itself is recorded; only an estimate is less exact.
  }
}

/** Of a run; empty where it has none that can be read. */
export function readTimings(folder: RunFolder): Timings {
  let text: string;
  try {
    text = readFileWithin(fileOf(folder), MOST_OF.own).toString('utf8');
  } catch {
    return new Map();
  }
  const json = jsonOrUndefined(text);
  return new Map(
    Object.entries(isObject(json) ? json : {}).flatMap(([step, ms]) =>
      Array.isArray(ms) && typeof ms[0] === 'number' && typeof ms[1] === 'number'
        ? [[step, [ms[0], ms[1]] as const] as const]
        : [],
    ),
  );
}
