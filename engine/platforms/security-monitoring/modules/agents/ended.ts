import type { AgentRecord } from '../../facts/agents.js';
import { blocked, ok, type ItemNote, type Verdict } from '../../../../terms/change.js';
import type { ItemState } from '../../../../terms/fact.js';
import type { UpgradeArgs } from './args.js';
import { recordOf } from './followed.js';
import { count, SHOWN, type Sorted } from './sorted.js';

export interface Ended {
  readonly sorted: Sorted;
  readonly items: ReadonlyMap<string, ItemState>;
  /** Not asked, where the last wave stopped it. */
  readonly due: readonly AgentRecord[];
  readonly stopped: string | undefined;
  readonly notes: Readonly<Record<string, ItemNote>>;
}

/**
 * No agent is left to request. One that failed fails the step, unless the step says how many may (`stop_at`), or that it only warns: then they
 * are reported. Agents that are left as they are go into the record too, with the reason.
 */
export function ended(args: UpgradeArgs, { sorted, items, due, stopped, notes }: Ended): Verdict {
  const right = new Set(sorted.right.map(({ id }) => id));
  const agents = new Map([...sorted.right, ...sorted.due, ...sorted.left].map((a) => [a.id, a]));
  const reasons = (is: ItemState['is']): Told =>
    [...items].flatMap(([id, item]) =>
      item.is === is && !right.has(id) ? [{ id, name: agents.get(id)?.name ?? '', reason: item.reason ?? '' }] : [],
    );
  const failed = reasons('failed');
  const untouched = sorted.left.filter(({ id }) => (items.get(id)?.is ?? 'due') === 'due');
  const notBegun = stopped === undefined ? [] : due.map((a) => ({ ...a, reason: `not begun: ${stopped}` }));
  const left = [...untouched, ...reasons('left'), ...notBegun];
  const recorded = { ...notes, ...leftNotes([...untouched, ...notBegun]) };
  const warnsOnly = args.severity === 'warning';
  if (stopped !== undefined && !warnsOnly) {
    const rest = due.length === 0 ? '' : `; ${count(due)} not begun`;
    return { ...blocked(`${stopped}: ${byReason(failed)}${rest}`, wayOn(args, failed)), items: notes };
  }
  if (failed.length > 0 && args.stop_at === undefined && !warnsOnly)
    return { ...blocked(`not upgraded: ${byReason(failed)}`, wayOn(args, failed)), items: recorded };
  const skipped = left.length === 0 ? '' : `; left as they are: ${byReason(left)}`;
  const value = {
    version: args.version,
    upgraded: sorted.right.map(({ id }) => id),
    failed: failed.map((a) => ({ ...a })),
    left: left.map((a) => ({ ...a })),
  };
  const warnings = [
    ...(failed.length === 0 ? [] : [`${count(failed)} not upgraded: ${byReason(failed)}`]),
    ...(left.length === 0 || items.size === 0 ? [] : [`${count(left)} left as they are: ${byReason(left)}`]),
  ];
  return { ...ok(`${count(sorted.right)} at ${args.version}${skipped}`, value, warnings), items: recorded };
}

/** The managers do not reach the packages, or lack the file. */
const lacksPackage = (failed: Told): boolean => failed.some(({ reason }) => /\(182[456]\)/.test(reason));

/** What can be done about agents that failed; `hint` is how to go on without them. */
const wayOn = ({ hint: without }: UpgradeArgs, failed: Told): string => {
  const parts = lacksPackage(failed) ? [without, OTHER_SOURCE] : [SEE_TO_THEM, without];
  return parts.filter((part) => part !== undefined).join('; ');
};
const SEE_TO_THEM = 'see to them, and resume: those that are still older are requested again';
const OTHER_SOURCE =
  'name a repository that the managers reach, or a file on each of them: runbook apply agents.yaml -e agents_repository=HOST/PATH/ or -e agents_package_file=PATH';

type Told = readonly { readonly id: string; readonly name: string; readonly reason: string }[];

function leftNotes(left: Sorted['left']): Readonly<Record<string, ItemNote>> {
  return Object.fromEntries(left.map((a) => [a.id, { is: 'left', reason: a.reason, value: recordOf(a) }]));
}

/** Who, reason by reason: `002 web-2: no package (1819); 004 web-4, 005 web-5: too old (1821)`. */
function byReason(agents: Told): string {
  const groups = new Map<string, string[]>();
  for (const { id, name, reason } of agents) {
    const group = groups.get(reason) ?? [];
    group.push(`${id} ${name}`.trim());
    groups.set(reason, group);
  }
  return [...groups]
    .map(([reason, who]) => {
      const more = who.length > SHOWN ? ` and ${who.length - SHOWN} more` : '';
      return `${who.slice(0, SHOWN).join(', ')}${more}: ${reason}`;
    })
    .join('; ');
}
