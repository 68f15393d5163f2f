import type { Runs } from '../../journal/run-folder.js';
import { nextForOpen } from '../../report/end/next-commands.js';
import { approvedPlan, refuseApproved, refuseDifferences, unknownAllowed } from '../plan/apply-plan.js';
import { approversOf, refuseAllowed, refusePlaybook } from '../plan/approvals.js';
import { begin, type Begin } from '../run/begin.js';
import { choose, copyOf } from '../run/choice.js';
import { EXIT, invalid, Refusal } from '../options/exit.js';
import type { Flags } from '../options/flags.js';
import { withLock } from '../run/lock.js';
import { isPlanFile, type Approved } from '../plan/plan-file.js';
import type { Planned } from '../plan/planned.js';
import { plan, showFirstPage } from './plan.js';
import { mustBeAnswered } from '../plan/plan-first.js';
import { flagsOf } from '../options/platform-flags.js';
import { loadProject, runsOfProject } from '../options/project.js';
import { waysOf } from '../run/rollback-options.js';
import { readableUnfinished } from '../run/unfinished.js';

/** `runbook apply PLAYBOOK`: carries it out; `apply FILE` carries out a plan that `plan -o FILE` wrote. */
export async function run(argv: readonly string[]): Promise<number> {
  const file = argv.find((arg) => !arg.startsWith('-') && isPlanFile(arg));
  if (file === undefined) return apply(argv);
  const { argv: own, approved } = approvedPlan(file, argv);
  return apply(own, approved);
}

async function apply(argv: readonly string[], approved?: Approved): Promise<number> {
  const flags = await flagsOf('apply', argv);
  if (flags.allow.length > 0 && approved === undefined)
    throw invalid('--allow belongs to a plan file: runbook apply FILE');
  const project = await loadProject(flags, 'new run');
  const choice = choose(project, flags);
  const unknown = approved === undefined ? undefined : unknownAllowed(approved, project, flags);
  if (unknown !== undefined) throw invalid(unknown);
  if (flags.dryRun || flags.listHosts)
    return approved === undefined
      ? plan(choice, flags, argv)
      : plan(choice, { ...flags, compare: approved.file }, [approved.file]);
  if (approved === undefined) refusePlaybook(project);
  else refuseAllowed(project, flags);
  const runs = runsOfProject(project);
  return withLock('apply', runs, flags, (lock) => applyNow({ choice, runs, flags, lock }, approved));
}

async function applyNow(what: Pick<Begin, 'choice' | 'runs' | 'flags' | 'lock'>, approved?: Approved): Promise<number> {
  const { choice, runs, flags, lock } = what;
  // With the lock held: of two that apply the same plan one is refused.
  if (approved !== undefined) refuseApproved(approved, choice, flags);
  await refuseUnfinished(runs, flags);
  mustBeAnswered(flags);
  const approvals = lock.shared?.approvals ?? (() => Promise.resolve([]));
  const approvers = approved === undefined ? [] : await approversOf(approved, choice.project, approvals);
  const copy = copyOf(choice.project, flags, choice.limit);
  return begin({
    ...what,
    copy: approved === undefined ? copy : { ...copy, plan: approved.digest, allow: flags.allow },
    ...(approved === undefined
      ? {}
      : {
          approved: approved.plan,
          approvedBy: approvers,
          refuse: (planned: Planned) => refuseDifferences(approved, planned, choice, flags),
        }),
    show: showFirstPage(flags),
    question: 'Start the run? [y/N]',
  });
}

async function refuseUnfinished(runs: Runs, flags: Flags): Promise<void> {
  const unfinished = readableUnfinished(runs);
  if (unfinished === undefined) return;
  const { folder, state } = unfinished;
  const next = nextForOpen(state, await waysOf(folder, flags)).join('\n');
  throw new Refusal(EXIT.locked, `runbook: the run ${folder.id} of this inventory is unfinished\n${next}\n`);
}
