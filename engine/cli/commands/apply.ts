import { findDamaged, findUnfinished, type Runs } from '../../journal/run-folder.js';
import { nextForOpen } from '../../report/end/next-commands.js';
import { approvedPlan, refuseApproved, refuseDifferences, unknownAllowed } from '../plan/apply-plan.js';
import { approversOf, refuseAllowed, refusePlaybook } from '../plan/approvals.js';
import { begin, type Begin } from '../run/begin.js';
import { choose, copyOf } from '../run/choice.js';
import { EXIT, invalid } from '../options/exit.js';
import type { Flags } from '../options/flags.js';
import { withLock } from '../run/lock.js';
import { isPlanFile, type Approved } from '../plan/plan-file.js';
import type { Planned } from '../plan/planned.js';
import { plan, showFirstPage } from './plan.js';
import { mayAsk } from '../plan/plan-first.js';
import { flagsOf } from '../options/platform-flags.js';
import { loadProject, runsOfProject } from '../options/project.js';
import { sayUnreadable } from '../terminal/io-errors.js';
import { waysOf } from '../run/rollback-options.js';

/** `runbook apply PLAYBOOK`: carries it out; `apply FILE` carries out a plan that `plan -o FILE` wrote. */
export async function run(argv: readonly string[]): Promise<number> {
  const file = argv.find((arg) => !arg.startsWith('-') && isPlanFile(arg));
  if (file === undefined) return apply(argv);
  const read = approvedPlan(file, argv);
  return typeof read === 'number' ? read : apply(read.argv, read.approved);
}

async function apply(argv: readonly string[], approved?: Approved): Promise<number> {
  const flags = await flagsOf('apply', argv);
  if ('mistake' in flags) return invalid(flags.mistake);
  if (flags.allow.length > 0 && approved === undefined)
    return invalid('--allow belongs to a plan file: runbook apply FILE');
  const project = await loadProject(flags, 'new run');
  if (typeof project === 'number') return project;
  const choice = choose(project, flags);
  if ('mistake' in choice) return invalid(choice.mistake);
  const unknown = approved === undefined ? undefined : unknownAllowed(approved, project, flags);
  if (unknown !== undefined) return invalid(unknown);
  if (flags.dryRun || flags.listHosts)
    return approved === undefined
      ? plan(choice, flags, argv)
      : plan(choice, { ...flags, compare: approved.file }, [approved.file]);
  const refused = approved === undefined ? refusePlaybook(project) : refuseAllowed(project, flags);
  if (refused !== undefined) return refused;
  const runs = runsOfProject(project);
  return withLock('apply', runs, flags, (lock) => applyNow({ choice, runs, flags, lock }, approved));
}

async function applyNow(what: Pick<Begin, 'choice' | 'runs' | 'flags' | 'lock'>, approved?: Approved): Promise<number> {
  const { choice, runs, flags, lock } = what;
  // With the lock held: of two that apply the same plan one is refused.
  const used = approved === undefined ? undefined : refuseApproved(approved, choice, flags);
  const refused = used ?? (await inTheWay(runs, flags)) ?? mayAsk(flags);
  if (refused !== undefined) return refused;
  const approvals = lock.shared?.approvals ?? (() => Promise.resolve([]));
  const approvers = approved === undefined ? [] : await approversOf(approved, choice.project, approvals);
  if (typeof approvers === 'number') return approvers;
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

async function inTheWay(runs: Runs, flags: Flags): Promise<number | undefined> {
  const unfinished = findUnfinished(runs);
  const damage = findDamaged(runs);
  if (damage !== undefined) sayUnreadable(EXIT.refused, damage);
  if (unfinished === undefined) return damage === undefined ? undefined : EXIT.refused;
  const { folder, state } = unfinished;
  process.stderr.write(`runbook: the run ${folder.id} of this inventory is unfinished\n`);
  process.stderr.write(`${nextForOpen(state, await waysOf(folder, flags)).join('\n')}\n`);
  return EXIT.locked;
}
