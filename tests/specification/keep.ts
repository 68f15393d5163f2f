import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Event, Verb } from '../../engine/terms/event.js';
import { keepEvents, readEvents } from './evidence.js';
import { stampOf } from './stamp.js';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '../..');
/** So many tests are named for an event: they may fail, and another have seen it too. */
const NAMED = 5;

interface Jest {
  readonly expect?: { getState(): { readonly currentTestName?: string; readonly testPath?: string } };
  readonly afterAll?: (then: () => void) => void;
}
const jest = globalThis as Jest;
const seen = new Map<string, Set<string>>();

/** Keeps that a step, a play or an invariant had this event in the test at hand. Outside Jest it does nothing. */
export function keepEvidence(event: Event, verb: Verb): void {
  const line = lineOf(event, verb);
  if (line === undefined || jest.expect === undefined) return;
  const tests = seen.get(line) ?? new Set<string>();
  seen.set(line, tests);
  if (tests.size < NAMED) tests.add(jest.expect.getState().currentTestName ?? '');
}

/** `KIND KEY PATH` of an event that proves something; undefined for any other. A plan proves only what is but looked at. */
export function lineOf(event: Event, verb: Verb): string | undefined {
  if (verb === 'plan' && event.e !== 'found' && event.e !== 'settled') return undefined;
  switch (event.e) {
    case 'settled':
      return `${event.as} ${event.spec ?? '-'} ${event.task.step}`;
    case 'found':
      return `found ${event.spec ?? '-'} ${event.task.step}`;
    case 'play-started':
      return `began ${event.spec ?? '-'} ${event.play}`;
    case 'warned':
      return event.task === undefined ? undefined : `warned ${event.spec ?? '-'} ${event.task.step}`;
    case 'waiting':
      return event.task === undefined ? `waited - invariant/${event.for.split(': ')[0] ?? ''}` : undefined;
    default:
      return undefined;
  }
}

/** The test file at hand, and what it hangs on as that was when its tests began. */
const testPath = jest.expect?.getState().testPath;
const file = testPath === undefined ? '' : path.relative(root, testPath);
const stamp = testPath === undefined ? '' : stampOf(root, file);

jest.afterAll?.(() => {
  if (testPath === undefined || seen.size === 0) return;
  // A part of the file may have run alone: what its other tests saw still stands.
  const before = readEvents(root, file);
  const events = new Map(Object.entries(before?.stamp === stamp ? before.events : {}));
  for (const [line, tests] of seen) events.set(line, [...new Set([...tests, ...(events.get(line) ?? [])])].sort());
  keepEvents(root, file, { stamp, events: Object.fromEntries([...events].sort()) });
});
