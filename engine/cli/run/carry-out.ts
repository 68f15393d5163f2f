import { LockLost } from '../../journal/lock.js';
import { findCopy, type Estimate, type RunCopy, type RunFolder } from '../../journal/run-folder.js';
import { keepTimings } from '../../journal/timings.js';
import { defined } from '../../lib/defined.js';
import { endView, type EndViewOptions } from '../../report/end/end-view.js';
import { planOutcomeLines } from '../../report/plan/plan-outcome-view.js';
import { planView } from '../../report/plan/plan-view.js';
import { runAll } from '../../run/start.js';
import type { Audit, Recorded, RunEnd, Verb } from '../../terms/event.js';
import type { StateNow } from '../../terms/state-now.js';
import { auditOf } from './audit.js';
import { situationInTime } from './ask-now.js';
import { assessBackOut, keepBackOut } from '../plan/back-out.js';
import { baselinesOf, keepBaseline, takeBaseline, takeBaselineAfter } from './baseline.js';
import { findCauses, keepCauses } from './causes.js';
import { keepStateAfter } from './state-after.js';
import { leadingTo, type Choice } from './choice.js';
import type { Doors } from './doors.js';
import { doneOptions } from '../plan/done-options.js';
import { EXIT, exitOf, refusal, say } from '../options/exit.js';
import type { Flags } from '../options/flags.js';
import { plannedOf, type KeptPlan } from '../plan/plan-of-run.js';
import { hintsOn, leaseText, type HeldLock } from './lock.js';
import { olderRefusal } from './older-journal.js';
import { terminalOf } from '../terminal/terminal.js';
import { plannedDone } from '../plan/planned-done.js';
import { keepSucceeded } from '../rehearsals.js';
import { runsOfProject } from '../options/project.js';
import { openSession, type Session } from './session.js';
import { writeSummary } from '../terminal/sinks.js';
import { timingNames } from '../plan/step-times.js';
import { ioRefusal } from '../terminal/io-errors.js';
import { whereOfRun } from './unfinished.js';
import { waysOf } from './rollback-options.js';

export interface CarryOut extends Choice {
  readonly flags: Flags;
  readonly verb: Verb;
  readonly lock: HeldLock;
  readonly folder: RunFolder;
  readonly hash: string;
  readonly past?: readonly Recorded[];
  readonly doors?: Doors;
  /** What its plan said of times. */
  readonly estimate?: Estimate;
  /** Who approved the plan, where the inventory asks for that. */
  readonly approvedBy?: readonly string[];
}

/** An acting run from its open folder to its exit code. */
export async function carryOut(request: CarryOut): Promise<number> {
  const { project, flags, folder, verb, hash } = request;
  const planned = plannedOf(folder);
  const session = await openSession({ ...request, phases: planned?.phases ?? [] });
  try {
    // Only where services will be down, as the plan says; what a rollback finds is no baseline.
    const isRollback = findCopy(folder)?.rollsBack !== undefined;
    const measures = (request.estimate?.takesDown === true && !isRollback) || baselinesOf(folder).before !== undefined;
    if (measures && verb === 'apply') {
      keepBaseline(folder, 'before', await takeBaseline(session, project));
      // Another machine may have to finish this run.
      await request.lock.shared?.sendFiles(folder);
    }
    const inventory = project.inventory.files[0]?.file ?? '';
    const end = await runAll(session.run, {
      run: folder.id,
      verb,
      hash,
      inventory,
      ...leadingTo(project),
      ...auditOf(flags),
      ...defined({ approvedBy: request.approvedBy }),
      ...awaitedApproval(request),
    });
    keepTimings(folder, session.events, timingNames(project));
    const [causes, now] = await afterFailure(session, end, request, planned);
    keepCauses(folder, session.events, causes);
    if (now !== undefined) keepStateAfter(folder, session, now);
    // After a failure it was assessed for the screen, as far as hosts answered in time.
    if (end === 'done' && isWhole(findCopy(folder))) keepSucceeded(project, session.events);
    if (end === 'done') await assessBackOut(folder, session.run);
    else if (now?.outlook?.assessed !== undefined) keepBackOut(folder, now.outlook.assessed);
    // Last, because it may take minutes: a process that ends meanwhile has kept all else.
    const worse = measures && end === 'done' ? await takeBaselineAfter(session, project, folder) : [];
    await session.close();
    const means = { flags, folder, project, planned, causes, worse, ...(now === undefined ? {} : { now }) };
    const exit = worse.length > 0 && flags.failIfWorse ? EXIT.worse : exitAt(session, end, flags);
    if (flags.json) writeSummary(session.events, { verb, exit, components: planned?.components ?? [] });
    else process.stdout.write(`${await atEnd(session.events, end, means)}\n`);
    return exit;
  } catch (error) {
    const refused = ioRefusal(error, EXIT.failed, folder.path);
    if (refused === undefined) throw error;
    const exit = say(refused);
    if (error instanceof LockLost) return exit;
    process.stderr.write(
      `  The run ${folder.id} stopped there. To continue: runbook resume${whereOfRun(findCopy(folder), flags)}\n`,
    );
    return exit;
  } finally {
    await session.close();
  }
}

/** What a start waives was approved with its plan; what a resume waives at night was not. */
function awaitedApproval({ verb, flags, project }: CarryOut): Pick<Audit, 'awaitsApproval' | 'approvalsNeeded'> {
  const { approvals } = project.inventory;
  if (verb !== 'resume' || flags.waive.length === 0 || approvals === undefined) return {};
  return { awaitsApproval: true, approvalsNeeded: approvals };
}

/** Of the whole playbook, and no rollback. */
const isWhole = (copy: RunCopy | undefined): boolean =>
  copy !== undefined &&
  [copy.backFrom, copy.limit, copy.tags, copy.skipTags, copy.startAt, copy.waive].every((part) => part === undefined);

/** What the hosts that failed and the whole platform answer after a failure: the known causes, and what runs where. */
async function afterFailure(
  session: Session,
  end: RunEnd,
  { project, flags, window }: CarryOut,
  planned: KeptPlan | undefined,
): Promise<readonly [causes: readonly Recorded[], now: StateNow | undefined]> {
  if (end === 'done' || end === 'refused') return [[], undefined];
  // What cannot be asked is left out: the failure itself is shown in any case.
  const { from, lost } = session.journal.state;
  const open = { lost, past: session.events, ...defined({ planned }), ...(window === undefined ? {} : { window }) };
  const now = await situationInTime(session.run, [...from.keys()], open);
  return [
    end === 'failed' && !flags.noDiagnose && !flags.json ? await findCauses(session, project, flags, now) : [],
    now,
  ];
}

/** The exit code of a run. Of one that is kept from the hosts, with what to do about that. */
export function exitAt(session: Session, end: RunEnd, flags: Flags): number {
  const off = session.hostLeases.keptOff();
  if (off === undefined) return exitOf(end);
  if ('older' in off) return say(olderRefusal(off.older, flags));
  return say(refusal(EXIT.locked, `nothing was changed: ${leaseText(off.by)}`, ...hintsOn(off.by.holder, flags)));
}

/** After a run that went well the sums, with what differed from the plan; after any, how it ended. */
async function atEnd(
  events: readonly Recorded[],
  end: RunEnd,
  {
    flags,
    folder,
    project,
    planned,
    causes,
    now,
    worse,
  }: Pick<CarryOut, 'flags' | 'folder' | 'project'> &
    Pick<EndViewOptions, 'causes' | 'now' | 'worse'> & { readonly planned: KeptPlan | undefined },
): Promise<string> {
  const terminal = terminalOf(process.stdout);
  const options = {
    ...terminal,
    folder: folder.path,
    ...(causes === undefined ? {} : { causes }),
    ...(now === undefined ? {} : { now }),
    ...(worse === undefined ? {} : { worse }),
  };
  const comparison = plannedDone(folder, events, runsOfProject(project), planned);
  const compared = (comparison === undefined ? [] : planOutcomeLines(comparison)).map((line) => `${line}\n`);
  if (end !== 'done')
    return compared.join('') + endView(events, { ...options, ways: await waysOf(folder, flags, project) });
  const table = planView(events, { ...terminal, ...doneOptions(flags) });
  const where = whereOfRun(findCopy(folder), flags);
  const more = `every change: runbook show --detail${where} · for the ticket: runbook report -o report.html${where}`;
  return `${table}\n${compared.join('')}${endView(events, { ...options, ways: { where, backTo: [] } })}\n  ${more}`;
}
