import type { AgentRecord } from '../facts/http.js';
import { blocked, ok, type Verdict } from '../terms/change.js';
import type { Done } from '../terms/fact.js';
import { isObject, type Json } from '../terms/json.js';
import { itemsIn, NOT_ACTIVE, type Item } from './agents-answer.js';
import { names, SHOWN, type Sorted } from './agents-sorted.js';

/** What became of each agent by the answers to all requests of the step; of two answers to one agent the later counts. */
export function itemsOfAll({ value, earlier = [] }: Extract<Done, { is: 'done' }>): Readonly<Record<string, Item>> {
  const bodyOf = (answer: Json): Json | undefined => (isObject(answer) ? answer['json'] : undefined);
  return Object.assign({}, ...[...earlier, value].map((answer) => itemsIn(bodyOf(answer)))) as Record<string, Item>;
}

/**
 * The requests were made: their answers tell whom to wait for, also while they are away (an agent restarts to upgrade), and whom it is
 * no use to wait for. Undefined when nobody is left.
 */
export function decideAsked(
  version: string,
  { due, left }: Sorted,
  asked: Extract<Done, { is: 'done' }>,
  pace: { readonly limitMs?: number; readonly everyMs: number },
): Verdict | undefined {
  const items = itemsOfAll(asked);
  const is =
    (what: string) =>
    (a: AgentRecord): boolean =>
      items[a.id]?.is === what;
  const refused = due.filter(is('failed'));
  const awaited = [...due.filter((a) => !is('failed')(a)), ...left.filter(is('pending'))];
  if (awaited.length > 0)
    return { is: 'waiting', for: `${names(awaited)} to say ${version}`, left: awaited.length, ...pace };
  if (refused.length === 0) return undefined;
  const wholly = refused.every(({ id }) => items[id]?.reason === NOT_ACTIVE);
  const told = byReason(refused, items);
  return wholly
    ? ok(`the other agents are at ${version}; left as they are: ${told}`)
    : blocked(`not upgraded: ${told}`);
}

/** Who was refused, reason by reason: `002 web-2: no package (1819); 004 web-4, 005 web-5: too old (1821)`. */
function byReason(refused: readonly AgentRecord[], items: Readonly<Record<string, Item>>): string {
  const groups = new Map<string, AgentRecord[]>();
  for (const agent of refused) {
    const reason = items[agent.id]?.reason ?? '';
    groups.set(reason, [...(groups.get(reason) ?? []), agent]);
  }
  return [...groups]
    .map(([reason, some]) => {
      const shown = some.slice(0, SHOWN).map(({ id, name }) => `${id} ${name}`);
      return `${shown.join(', ')}${some.length > SHOWN ? ` and ${some.length - SHOWN} more` : ''}: ${reason}`;
    })
    .join('; ');
}
