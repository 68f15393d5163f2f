import { posix } from 'node:path';
import { file, type FileState } from '../../facts/file.js';
import { noSystemd, systemd } from '../../facts/service.js';
import { isWithin } from '../../lib/paths.js';
import { quoteOne } from '../../lib/quote.js';
import type { Action } from '../../terms/action.js';
import type { Change } from '../../terms/change.js';
import { need } from '../../terms/fact.js';
import type { Json } from '../../terms/json.js';
import type { Subject } from '../../terms/subject.js';
import type { Reading } from '../facts/facts.js';
import { resolveFacts } from '../facts/resolve-facts.js';
import type { Run } from '../run.js';

/** Why a change that a plan decided would fail for certain once it is made. */
export async function certainFailure(run: Run, on: Subject, { actions }: Change): Promise<Refusal | undefined> {
  if (!('host' in on)) return undefined;
  const jobs = actions.some((action) => action.do === 'job');
  const needed = directoriesFor(run, on, actions);
  if (needed.length === 0 && !jobs) return undefined;
  return resolveFacts(run, (lookup) => {
    const missing = needed.find((directory) => stateIn(lookup(need(on, file, directory)))?.exists === false);
    if (jobs && valueIn(lookup(need(on, systemd, undefined))) === false) return noSystemd;
    return missing === undefined ? undefined : withoutDirectory(missing);
  });
}

interface Refusal {
  readonly reason: string;
  readonly hint: string;
}

const withoutDirectory = (directory: string): Refusal => ({
  reason: `there is no directory ${directory}, and no step before this one makes it`,
  hint: `make it on the host, or in a step before this one: file: { path: ${quoteOne(directory)}, state: directory }`,
});

/** The directories that must be there, and that no earlier step is known to make or change. A command makes what it is said to change. */
function directoriesFor(run: Run, on: Subject, actions: readonly Action[]): readonly string[] {
  const needed = placesOf(actions).filter((path) => !isKnownToExist(run, on, path));
  if (needed.length === 0 || run.plannedActs.mayHaveMadeDirectories(on)) return [];
  return needed.map((path) => posix.dirname(path)).filter((path) => !run.facts.touchesBelow(on, path));
}

/** Where these actions put something into a directory that none of them makes. */
function placesOf(actions: readonly Action[]): readonly string[] {
  const places: string[] = [];
  const made: string[] = [];
  for (const action of actions) {
    // A command may make any directory.
    if (action.do === 'run' || action.do === 'job') break;
    const path = placeOf(action);
    if (path === undefined) continue;
    const makesParents = action.do === 'directory' || action.do === 'extract';
    const directory = posix.dirname(path);
    if (!makesParents && !made.some((other) => isWithin(directory, other) || isWithin(other, directory)))
      places.push(path);
    made.push(path);
  }
  return places;
}

function placeOf(action: Action): string | undefined {
  switch (action.do) {
    case 'write':
    case 'directory':
    case 'link':
    case 'upload':
      return action.path;
    case 'copy':
    case 'move':
      return action.to;
    case 'extract':
      return action.into;
    default:
      return undefined;
  }
}

/** Its directory is there, then. */
function isKnownToExist(run: Run, on: Subject, path: string): boolean {
  const reading = run.facts.lookup(need(on, file, path));
  return reading !== undefined && stateIn(reading)?.exists === true;
}

const stateIn = (reading: Reading): FileState | undefined => valueIn(reading) as unknown as FileState | undefined;

const valueIn = (reading: Reading): Json | undefined =>
  'failed' in reading || !reading.known ? undefined : reading.value;
