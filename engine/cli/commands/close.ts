import { endView } from '../../report/end/end-view.js';
import { findUnfinished } from '../../journal/run-folder.js';
import { closeView, type Release } from '../../report/end/close-view.js';
import type { Format } from '../../report/document/format.js';
import { summaryOf } from '../../report/plan/plan-summary.js';
import { planView } from '../../report/plan/plan-view.js';
import { isTagged } from '../../run/chosen.js';
import { stateNow } from '../../run/facts/state-now.js';
import type { RunOptions } from '../../run/run.js';
import { releaseRun } from '../../run/start.js';
import { NOTHING_ASSESSED } from '../../terms/assessment.js';
import type { Recorded } from '../../terms/event.js';
import { defined } from '../../lib/defined.js';
import { stateInTime } from '../run/ask-now.js';
import { auditOf } from '../run/audit.js';
import { exitAt } from '../run/carry-out.js';
import { EXIT, invalid, Refusal } from '../options/exit.js';
import { parseFlags, type Flags } from '../options/flags.js';
import { sayEditsUnused } from '../plan/accepted-changes.js';
import { unlocked, withLock, type HeldLock } from '../run/lock.js';
import { terminalOf } from '../terminal/terminal.js';
import { confirm } from '../terminal/confirm.js';
import { withFlags } from './plan.js';
import { olderRefusal } from '../run/older-journal.js';
import { openSession, type Session } from '../run/session.js';
import { stepsLeft } from '../plan/plan-aside.js';
import { stepTimes } from '../plan/step-times.js';
import { writeSummary } from '../terminal/sinks.js';
import { openUnfinished, runsFor, whereOfRun, type Unfinished } from '../run/unfinished.js';
import { refuseUnknownWithout, withoutLines } from '../run/without.js';
import { nextForUnfinished, waysOf } from '../run/rollback-options.js';

/** `runbook close`: gives the temporary changes back and closes the run, after saying what is no longer possible then. */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags('close', argv);
  if (flags.format !== undefined && !flags.dryRun)
    throw invalid('--format needs --dry-run; of the run afterwards: runbook report');
  if (flags.dryRun) return unlocked(flags, async () => planRelease(await openToClose(flags), flags, argv));
  return withLock('close', runsFor(flags), flags, async (lock) =>
    releaseNow(await openToClose(flags), flags, lock, confirmRelease),
  );
}

async function openToClose(flags: Flags): Promise<Unfinished> {
  const unfinished = await openUnfinished('close', flags);
  refuseUnknownWithout(unfinished.project, flags);
  sayEditsUnused(unfinished.copy);
  return unfinished;
}

/** A completed rollback closes the upgrade that it rolled back, and restores the temporary changes of that run. */
export async function closeWhatWasTakenBack(id: string | undefined, flags: Flags, lock: HeldLock): Promise<number> {
  if (id === undefined || id === '' || findUnfinished(runsFor(flags))?.folder.id !== id) return EXIT.done;
  const unfinished = await openUnfinished('close', { ...flags, positionals: [] });
  process.stderr.write(`The run ${id} was rolled back. Its temporary changes are restored and it is closed.\n`);
  return releaseNow(unfinished, flags, lock);
}

/** `first` may say what is to come and ask. */
async function releaseNow(
  unfinished: Unfinished,
  flags: Flags,
  lock: HeldLock,
  first?: typeof confirmRelease,
): Promise<number> {
  const session = await openSession({ ...unfinished, lock, verb: 'close' });
  try {
    await first?.(unfinished, flags, session);
    const end = await releaseRun(session.run, auditOf(flags));
    const hosts = [...unfinished.state.from.keys()].filter((host) => flags.without?.has(host) !== true);
    const isShown = end === 'closed' && !flags.json;
    const now = isShown ? await stateInTime(session.run, hosts, session.journal.state.lost) : undefined;
    await session.close();
    const view = endView(session.events, {
      ...terminalOf(process.stdout),
      folder: unfinished.folder.path,
      ways: await waysOf(unfinished.folder, flags, unfinished.project),
      ...defined({ now, leavesOpen: openBeneath(unfinished) }),
    });
    // A rollback that is closed before its end leaves the upgrade as it is.
    const next = isShown ? await nextForUnfinished(flags) : undefined;
    if (!flags.json) process.stdout.write(`${view}\n${next === undefined ? '' : `\n${next}\n`}`);
    const exit = exitAt(session, end, flags);
    if (flags.json) writeSummary(session.events, { verb: 'close', exit });
    return exit;
  } finally {
    await session.close();
  }
}

/** What closing the run would do: nothing is changed, and nothing written. */
async function planRelease(
  { folder, ...unfinished }: Unfinished,
  flags: Flags,
  argv: readonly string[],
): Promise<number> {
  const session = await openSession({ ...unfinished, reads: folder, verb: 'plan' });
  try {
    const older = await session.hostLeases.findOlder();
    if (older !== undefined) throw olderRefusal(older, flags);
    if (flags.json) return await planReleaseJson(session, unfinished.past);
    const release = await releaseOf({ folder, ...unfinished }, flags, session);
    if (release === undefined) return EXIT.interrupted;
    await releaseRun(session.run);
    const terminal = terminalOf(process.stdout);
    const events = ofTheClose(session, unfinished.past);
    if (flags.format !== undefined) return await writeDocument(events, release, flags.format, session);
    const view = viewOf(release, { folder, ...unfinished }, flags);
    const restored = planView(events, {
      ...terminal,
      ...{ diff: flags.diff, verbose: flags.verbosity > 0 },
    });
    const next = `To close the run:  runbook close${withFlags(argv, whereOfRun(unfinished.copy, flags))}`;
    process.stdout.write(`DRY RUN, nothing was changed\n${view}\n\n${restored}\n\n${next}\n`);
    return EXIT.done;
  } finally {
    await session.close();
  }
}

/** What closing means is for people: nothing is read for it here. */
async function planReleaseJson(session: Session, past: readonly Recorded[]): Promise<number> {
  if (session.run.stopping?.() === true) return EXIT.interrupted;
  await releaseRun(session.run);
  writeSummary(ofTheClose(session, past), { verb: 'plan', exit: EXIT.done });
  return EXIT.done;
}

/** Without what the run did before, but for its start, which names it. */
const ofTheClose = ({ events }: Session, past: readonly Recorded[]): readonly Recorded[] =>
  events.filter(({ event }, i) => i >= past.length || event.e === 'run-started');

async function confirmRelease(unfinished: Unfinished, flags: Flags, session: Session): Promise<void> {
  const older = await session.hostLeases.findOlder();
  if (older !== undefined) throw olderRefusal(older, flags);
  const release = await releaseOf(unfinished, flags, session);
  if (release === undefined) throw new Refusal(EXIT.interrupted);
  process.stderr.write(`${viewOf(release, unfinished, flags)}\n`);
  const declined = 'Nothing was changed; the run stays open.';
  await confirm(flags, { question: 'Close the run? [y/N]', declined, ask: session.ask });
}

/** What closing the run means; undefined where the operator asked to stop meanwhile. */
async function releaseOf(unfinished: Unfinished, flags: Flags, { run: now }: Session): Promise<Release | undefined> {
  const { past, state, project, folder } = unfinished;
  // The run's own choice of steps: what it would not have made anyway is not missed. Nor is what a resume would find done.
  const options = { forks: flags.forks, ...chosenTags(unfinished.flags) };
  const left = state.lost.size > 0 ? undefined : await stepsLeft(now, { project, options: now.options, past });
  const plays = project.playbook.plays.flatMap((play) => {
    const steps = play.steps.filter((step) => isTagged({ options }, play, step) && left?.has(step.path) !== false);
    return steps.length === 0 ? [] : [{ ...play, steps }];
  });
  const hosts = [...state.from.keys()].filter((host) => flags.without?.has(host) !== true);
  const release = {
    past,
    state,
    plays,
    now: await stateNow(now, hosts),
    ways: await waysOf(folder, flags, project),
    ...defined({ leavesOpen: openBeneath(unfinished) }),
  };
  return now.stopping?.() === true ? undefined : release;
}

/** The unfinished run that a rollback takes back: it stays open where the rollback is closed before its end. */
const openBeneath = ({ copy }: Unfinished): string | undefined => (copy.backFrom === '' ? undefined : copy.backFrom);

const viewOf = (release: Release, { past, state, project }: Unfinished, flags: Flags): string =>
  [closeView(release, terminalOf(process.stderr)), ...withoutLines(past, state, project, flags)].join('\n');

/** The same as a document for the ticket. */
async function writeDocument(
  events: readonly Recorded[],
  release: Release,
  format: Format,
  { run: { project, options } }: Session,
): Promise<number> {
  const { render } = await import('../../report/document/render.js');
  const { closeDocument } = await import('../../report/document/close-document.js');
  const context = { assessment: NOTHING_ASSESSED, times: stepTimes(project), forks: options.forks };
  process.stdout.write(render(closeDocument(events, summaryOf(events, context), release), format));
  return EXIT.done;
}

const chosenTags = ({ tags, skipTags }: Flags): Pick<RunOptions, 'tags' | 'skipTags'> => ({
  ...(tags === undefined ? {} : { tags }),
  ...(skipTags === undefined ? {} : { skipTags }),
});
