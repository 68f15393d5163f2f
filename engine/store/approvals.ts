import { seal, unseal } from '../lib/sealed.js';
import { StoreUnavailable, type RunStore } from './run-store.js';

interface Given {
  /** Who on which machine: `kim@ctl-2`. */
  readonly by: string;
  readonly atMs: number;
}

/** That a person approved a plan. */
export interface Approval extends Given {
  /** SHA-256 of the plan file. */
  readonly plan: string;
  /** It no longer counts after that. */
  readonly untilMs: number;
}

/** That a person approved what a part of a run waived. It is given afterwards, so it does not expire. */
export interface WaiverApproval extends Given {
  readonly waiver: string;
}

/** The name of a waiver: its run, and the checksum of the record that has it. No other record of the run has the same. */
export const waiverName = (run: string, sum: string): string => `${run}_${sum}`;

/** Whether approvals under this name are of a waiver; a plan's are under its hash. */
export const isWaiverName = (name: string): boolean => name.includes('_');

/** The name that the machine's user has: the same on all machines of a person. */
export const personOf = (by: string): string => by.slice(0, Math.max(by.lastIndexOf('@'), 0)) || by;

/** The approvals that count now: one of each person other than the author, the one that lasts longest. */
export function countingApprovals(all: readonly Approval[], author: string, nowMs: number): readonly Approval[] {
  const byPerson = new Map<string, Approval>();
  for (const approval of all.filter(({ untilMs }) => nowMs <= untilMs)) {
    const person = personOf(approval.by);
    if (person === personOf(author)) continue;
    if ((byPerson.get(person)?.untilMs ?? 0) < approval.untilMs) byPerson.set(person, approval);
  }
  return [...byPerson.values()];
}

/** The approvals of a waiver that count: the first of each person other than the one who waived. */
export const countingWaiverApprovals = (all: readonly WaiverApproval[], waivedBy: string): readonly WaiverApproval[] =>
  all
    .filter(({ by }) => personOf(by) !== personOf(waivedBy))
    .filter(({ by }, i, others) => others.findIndex((other) => personOf(other.by) === personOf(by)) === i);

type Approvals = Pick<RunStore, 'approvals'>;

/** All approvals of a plan file, in the order in which they were given. Throws StoreUnavailable. */
export const approvalsOf = async ({ approvals }: Approvals, plan: string): Promise<readonly Approval[]> =>
  (await approvals.read(plan, 0)).map((line) => {
    const approval = unseal(line) as unknown as Approval | undefined;
    return approval?.plan === plan ? approval : throwDamaged(`plan ${plan}`);
  });

/** The same of a waiver, by its name. */
export const waiverApprovalsOf = async ({ approvals }: Approvals, waiver: string): Promise<readonly WaiverApproval[]> =>
  (await approvals.read(waiver, 0)).map((line) => {
    const approval = unseal(line) as unknown as WaiverApproval | undefined;
    return approval?.waiver === waiver ? approval : throwDamaged(`waiver ${waiver}`);
  });

/** The approval of another plan or waiver, or a line that was altered, is no approval of this one. */
function throwDamaged(what: string): never {
  throw new StoreUnavailable('damaged', `read approvals of ${what}`, 'a line is not one of its approvals', 0);
}

/** Adds an approval after those that are there. Throws StoreUnavailable. */
export const addApproval = (store: Approvals, approval: Approval): Promise<void> => add(store, approval.plan, approval);

/** The same of a waiver. */
export const addWaiverApproval = (store: Approvals, approval: WaiverApproval): Promise<void> =>
  add(store, approval.waiver, approval);

async function add({ approvals }: Approvals, name: string, approval: Given): Promise<void> {
  const line = Buffer.from(seal(JSON.stringify(approval)));
  for (let last = 0; ;) {
    const appended = await approvals.append(name, last, [line]);
    if (appended.is === 'appended') return;
    last = appended.last;
  }
}
