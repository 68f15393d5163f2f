import { sha256 } from '../../lib/hash.js';
import type { Change } from '../../terms/change.js';
import type { Recorded } from '../../terms/event.js';
import { refKey } from '../../terms/fact.js';
import { doneBefore, type DoneBefore } from './done-before.js';
import { linesOf, tally } from '../tally.js';

/** What a plan said of one step on one host. Steps with nothing to do are left out. */
export interface PlannedStep {
  /** Step and host. */
  readonly key: string;
  readonly host: string;
  readonly name: string;
  readonly is: 'change' | 'undecided' | 'waiting';
  /** What it changes, in one line. */
  readonly summary: string;
  /** Digest of the diff. */
  readonly digest: string;
  /** The facts that it changes. */
  readonly facts: readonly string[];
  /** Its diff is known after apply. */
  readonly diffLater?: true;
}

export type DifferenceKind = 'added' | 'altered' | 'dropped';

/** A step that a plan decides otherwise than the plan before it. */
export interface PlanDifference {
  readonly is: DifferenceKind;
  readonly step: PlannedStep;
  /** What was approved of one that is altered. */
  readonly was?: PlannedStep;
}

export const plannedSteps = (events: readonly Recorded[]): readonly PlannedStep[] =>
  linesOf(tally(events)).flatMap((line) => {
    if (line.is !== 'change' && line.is !== 'undecided' && line.is !== 'waiting') return [];
    const { key, host, name, is, change, because } = line;
    return [
      {
        ...{ key, host, name, is },
        summary: is === 'change' ? (change?.summary ?? because) : '',
        digest: change === undefined ? '' : digestOf(change),
        facts: (change?.predicts ?? []).map(({ ref }) => refKey(ref)),
        ...(change?.diffUnknown === undefined ? {} : { diffLater: true as const }),
      },
    ];
  });

export const digestOf = ({ sign, diff = '' }: Change): string => sha256(`${sign}${diff}`).slice(0, 16);

/**
 * Where the plan `now` differs from the one that was approved. What was known after apply may have become anything; what is done already
 * is no difference where another run did it: `runThatDid` names it.
 */
export function planDifferences(
  approved: readonly PlannedStep[],
  now: readonly PlannedStep[],
  runThatDid: (step: PlannedStep) => string | undefined,
): { readonly differences: readonly PlanDifference[]; readonly before: DoneBefore } {
  const before = new Map(approved.map((step) => [step.key, step]));
  const after = new Set(now.map(({ key }) => key));
  const others = now.flatMap((step): readonly PlanDifference[] => {
    const was = before.get(step.key);
    if (was === undefined) return [{ is: 'added', step }];
    return isAsApproved(was, step) ? [] : [{ is: 'altered', step, was }];
  });
  const runs: string[] = [];
  const dropped = approved.filter((step) => {
    const run = after.has(step.key) ? undefined : runThatDid(step);
    if (run !== undefined) runs.push(run);
    return step.is === 'change' && !after.has(step.key) && run === undefined;
  });
  const differences = [...others, ...dropped.map((step) => ({ is: 'dropped' as const, step }))];
  return { differences, before: doneBefore(runs) };
}

function isAsApproved(was: PlannedStep, now: PlannedStep): boolean {
  if (was.is === 'undecided') return true;
  if (was.is !== now.is || was.summary !== now.summary) return false;
  return was.diffLater === true || was.digest === now.digest;
}
