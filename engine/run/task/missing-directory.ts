import { posix } from 'node:path';
import { file, type FileState } from '../../facts/file.js';
import { isWithin } from '../../lib/paths.js';
import type { Action } from '../../terms/action.js';
import type { Change } from '../../terms/change.js';
import { need } from '../../terms/fact.js';
import { keyOf, type Subject } from '../../terms/subject.js';
import { isOfProgram } from './changed-by.js';
import type { Reading } from '../facts/facts.js';
import { resolveFacts } from '../facts/resolve-facts.js';
import type { Run } from '../run.js';

/**
 * In a plan: the directory without which a change fails for certain, because it is missing and no earlier step makes it. What a command, a
 * package or a service makes beside what it is known to change cannot be predicted: after one of these nothing is certain.
 */
export async function missingDirectory(run: Run, on: Subject, { actions }: Change): Promise<string | undefined> {
  if (!('host' in on)) return undefined;
  const needed = placesOf(actions).filter((path) => !isKnownToExist(run, on, path));
  if (needed.length === 0 || mayBeMade(run, on)) return undefined;
  const directories = needed.map((path) => posix.dirname(path)).filter((path) => !run.facts.touchesBelow(on, path));
  return resolveFacts(run, (lookup) => directories.find((directory) => isMissing(lookup(need(on, file, directory)))));
}

const mayBeMade = ({ plannedActs }: Run, on: Subject): boolean =>
  plannedActs.some((act) => keyOf(act.on) === keyOf(on) && (act.runs || act.touches.some(isOfProgram)));

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

const isMissing = (reading: Reading): boolean => stateIn(reading)?.exists === false;

const stateIn = (reading: Reading): FileState | undefined =>
  'failed' in reading || !reading.known ? undefined : (reading.value as unknown as FileState);
