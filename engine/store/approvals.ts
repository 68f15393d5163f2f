import { seal, unseal } from '../lib/sealed.js';
import { StoreUnavailable, type RunStore } from './run-store.js';

/** That a person approved a plan. */
export interface Approval {
  /** SHA-256 of the plan file. */
  readonly plan: string;
  /** Who on which machine: `kim@ctl-2`. */
  readonly by: string;
  readonly atMs: number;
  /** It no longer counts after that. */
  readonly untilMs: number;
}

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

/** All approvals of a plan file, in the order in which they were given. Throws StoreUnavailable. */
export const approvalsOf = async ({ approvals }: RunStore, plan: string): Promise<readonly Approval[]> =>
  (await approvals.read(plan, 0)).map((line) => parse(line, plan));

/** Adds an approval after those that are there. Throws StoreUnavailable. */
export async function addApproval({ approvals }: RunStore, approval: Approval): Promise<void> {
  const line = Buffer.from(seal(JSON.stringify(approval)));
  for (let last = 0; ;) {
    const appended = await approvals.append(approval.plan, last, [line]);
    if (appended.is === 'appended') return;
    last = appended.last;
  }
}

/** The approval of another plan, or a line that was altered, is no approval of this one. */
function parse(line: Buffer, plan: string): Approval {
  const approval = unseal(line) as unknown as Approval | undefined;
  if (approval?.plan === plan) return approval;
  throw new StoreUnavailable('damaged', `read approvals of plan ${plan}`, 'a line is not one of its approvals', 0);
}
