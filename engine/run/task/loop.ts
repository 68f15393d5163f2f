import { cut } from '../../expressions/value.js';
import { stableStringify } from '../../lib/json.js';
import { withoutUserInfo } from '../../lib/user-info.js';
import { taskKey } from '../../terms/task.js';
import { render } from '../../language/templates/render.js';
import type { Cause, Need } from '../../terms/fact.js';
import type { Json } from '../../terms/json.js';
import type { Step } from '../../terms/playbook.js';
import type { Run } from '../run.js';
import { scopeOf } from '../facts/scope.js';
import type { Position } from '../position.js';
import { resolveFacts, withReads, type FactLookup } from '../facts/resolve-facts.js';
import { taskOf } from './bind.js';

/** A step, or one element of its loop, where it stands. */
export interface Placed {
  readonly step: Step;
  readonly position: Position;
}

/** Why a loop has no list; `unknown` where it is not known now. */
export interface NoList {
  readonly reason: string;
  readonly unknown?: Cause;
  readonly reads?: readonly Need[];
}

/** More elements than any list that is meant, and longer ones: what a host answers may become such a list. */
const MOST_ELEMENTS = 1_000;
const LONGEST_ELEMENT = 1_000;

/** The step itself, or where it has a `loop` one step for each element, which is `item` in it. */
export function expand(run: Run, step: Step, position: Position, lookup: FactLookup): readonly Placed[] | NoList {
  const { loop } = step;
  if (loop === undefined) return [{ step, position }];
  const recorded = run.journal.state.loops.get(taskKey(taskOf(step, position)));
  if (recorded !== undefined) return elementSteps(step, position, recorded);
  const list = render(loop, scopeOf(run, { ...position, step }, lookup, []));
  if (list.is === 'wrong') return { reason: `loop: ${list.message}` };
  if (list.is === 'unknown') return { reason: `loop: ${list.because}`, unknown: list };
  const wrong = whyNoList(list.value);
  if (wrong !== undefined) return { reason: `loop: ${wrong}` };
  return elementSteps(step, position, list.value as readonly Json[]);
}

const elementSteps = ({ loop: _, ...step }: Step, position: Position, list: readonly Json[]): readonly Placed[] =>
  list.map((item) => ({
    step: { ...step, path: `${step.path} [${inPath(item)}]`, name: `${step.name} [${withoutUserInfo(textOf(item))}]` },
    position: { ...position, local: { ...position.local, item } },
  }));

function whyNoList(value: Json): string | undefined {
  if (!Array.isArray(value)) return `"loop" takes a list, and this is ${cut(stableStringify(value), 200)}`;
  const items = value as readonly Json[];
  if (items.length > MOST_ELEMENTS) return `a list of ${items.length} elements; at most ${MOST_ELEMENTS} are taken`;
  const long = items.findIndex((item) => stableStringify(item).length > LONGEST_ELEMENT);
  return long < 0 ? undefined : `element ${long + 1} has more than ${LONGEST_ELEMENT} characters`;
}

/** The same, with whatever facts the list takes. */
export const elementsOf = async (run: Run, step: Step, position: Position): Promise<readonly Placed[] | NoList> =>
  (await readElements(run, step, position)).found;

/**
 * The same where the step begins on this host. In an apply a list that takes facts is recorded: a resume goes over the same elements,
 * whatever the facts are then.
 */
export async function beginLoop(run: Run, step: Step, position: Position): Promise<readonly Placed[] | NoList> {
  // Most steps have none, and need no round of facts for it.
  if (step.loop === undefined) return [{ step, position }];
  const { found, reads } = await readElements(run, step, position);
  if ('reason' in found) return { ...found, reads };
  if (reads.length > 0 && run.actor !== undefined) {
    const list = found.map(({ position: { local } }) => local?.['item'] ?? null);
    run.journal.emit({ e: 'loop-started', task: taskOf(step, position), list });
  }
  return found;
}

const readElements = (
  run: Run,
  step: Step,
  position: Position,
): Promise<{ readonly found: readonly Placed[] | NoList; readonly reads: readonly Need[] }> =>
  resolveFacts(run, (lookup) => withReads(lookup, (noted) => expand(run, step, position, noted)));

/** How an element is called: itself, or its `name`. */
function textOf(item: Json): string {
  if (typeof item !== 'object' || item === null) return String(item);
  const name = Array.isArray(item) ? undefined : (item as Readonly<Record<string, Json>>)['name'];
  return typeof name === 'string' ? name : stableStringify(item);
}

/** A path has slashes between its parts, and an `@` before the host. */
const inPath = (item: Json): string =>
  withoutUserInfo(typeof item === 'string' ? item : stableStringify(item))
    .replaceAll('/', '%2F')
    .replaceAll('@', '%40');
