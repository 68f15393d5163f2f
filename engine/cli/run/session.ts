import { dirname } from 'node:path';
import { stateOf, type Holder } from '../../journal/holder.js';
import { openJournal, type Journal } from '../../journal/journal.js';
import { eventsFor, findCopy, type Estimate, type RunFolder } from '../../journal/run-folder.js';
import { isUnfinished } from '../../journal/state.js';
import type { Window } from '../../lib/window.js';
import type { Project } from '../../language/project.js';
import { defined } from '../../lib/defined.js';
import { showDuration } from '../../lib/duration.js';
import { countingOn, systemClock } from '../../machines/system-clock.js';
import { within } from '../../machines/time-limit.js';
import { modules } from '../platforms.js';
import type { PausedAt, Recorded, Verb } from '../../terms/event.js';
import type { Secrets } from '../../terms/machine.js';
import { hostName } from '../../terms/subject.js';
import { Leases } from '../../run/lease.js';
import type { OutsideLimit } from '../../report/plan/plan-summary.js';
import type { PlannedPhase } from '../../report/live/phase-bars.js';
import { createRun, type Run, type RunOptions } from '../../run/run.js';
import { openDoors, type Doors } from './doors.js';
import { BEHIND_MS, namingSetBack } from './clock-set-back.js';
import type { Flags } from '../options/flags.js';
import { runsOfProject } from '../options/project.js';
import { withKeys } from '../terminal/key-pause.js';
import { guarded } from './guarded.js';
import { leaseText, type HeldLock } from './lock.js';
import {
  findLostRuns,
  findOlderJournals,
  fromHosts,
  olderText,
  type KeptOff,
  type OlderJournal,
} from './older-journal.js';
import { pauses } from './pauses.js';
import { ask, isAttended, watchInterrupts } from '../terminal/prompt.js';
import { openProgress, openSinks } from '../terminal/sinks.js';
import { openShared, sendLast } from '../team/sending.js';
import type { Shared } from '../team/shared.js';
import type { Told } from './told.js';
import { traceKeeper } from './traces.js';
import { openWebhooks } from './webhooks.js';
import { stepAsker } from '../terminal/step-asker.js';
import { stopHeadline } from '../../report/end/stop-lines.js';
import { guardOf, onceOver, stopsAfter } from './window.js';

/** A run with its doors open, its events kept, and what must be closed after it. */
export interface Session {
  readonly run: Run;
  readonly journal: Journal;
  readonly events: Recorded[];
  readonly leases: Leases;
  /** Hosts that `--limit` leaves out and that this run reads or locks all the same, as far as it has come. */
  readonly outsideLimit: () => OutsideLimit;
  /** What keeps this run from the hosts: another's lease, or that the journal is older than they are. */
  readonly keptOff: () => KeptOff | undefined;
  /** Whether a host knows more of the run than its journal, as a run finds out before it acts. */
  readonly findOlder: () => Promise<OlderJournal | undefined>;
  /** Asks the operator with nothing drawn over the question. */
  readonly ask: (question: string) => Promise<string | undefined>;
  /** A line of the program's own, which `--json` does not have. */
  readonly say: (text: string) => void;
  /** Finds the secrets that are known in a text. */
  readonly split: Secrets['split'];
  /** The second time it does nothing. */
  close(): Promise<void>;
}

export interface SessionRequest {
  readonly project: Project;
  readonly flags: Flags;
  readonly verb: Verb;
  readonly limit?: ReadonlySet<string>;
  readonly told?: Told;
  /** Where an acting run keeps its journal; a plan has none and cannot act. */
  readonly folder?: RunFolder;
  readonly past?: readonly Recorded[];
  /** The run that a plan goes on from: it is read, and nothing is written there. */
  readonly reads?: RunFolder;
  /** Of a rollback: the unfinished run whose journal its plan compares with the markers of the hosts; null: none is unfinished. */
  readonly takesBack?: RunFolder | null;
  /** What an acting run needs before each record and each effect. */
  readonly lock?: HeldLock;
  /** Of the plan that this run began with. */
  readonly phases?: readonly PlannedPhase[];
  /** What a plan used before; the caller closes them. */
  readonly doors?: Doors;
  /** The maintenance window, and what is known of the run's times. */
  readonly window?: Window;
  readonly estimate?: Estimate;
}

/**
 * How long each last write may take: a host that no longer answers, or a disk that is full, holds up no end. A lease then stays, and counts
 * for nothing once this process has ended.
 */
const LAST_WRITE_MS = 5000;

/** Opens the doors of a run; when the model that its inventory names is away, says so and gives the exit code. */
export async function openSession(request: SessionRequest): Promise<Session | number> {
  const { project, flags, folder, verb } = request;
  // A close restores what it can reach; a diagnosis reports what it cannot.
  const isForReachable = verb === 'close' || verb === 'diagnose';
  const doors = request.doors ?? (await openDoors({ ...request, ...(isForReachable ? { needsWorkers: false } : {}) }));
  if (typeof doors === 'number') return doors;
  const { secrets, fleet, undrawn } = doors;
  // Of a run that goes on where the clock is behind its last record, the times count on from there.
  const clock = countingOn(fleet.clock, request.past?.at(-1)?.atMs);
  const nowMs = (): number => clock.nowMs();
  const live = openProgress(project, flags, verb, nowMs, defined({ phases: request.phases }));
  const { progress, key } = folder === undefined ? { progress: live, key: undefined } : withKeys(live, flags);
  doors.draw(progress);
  const behindMs = nowMs() - fleet.clock.nowMs();
  const isBehind = folder !== undefined && behindMs > BEHIND_MS;
  if (isBehind)
    progress.say(
      `The clock here is ${showDuration(behindMs)} behind the last record of this run, whose times count on from there. Compare the clocks.`,
    );
  const events: Recorded[] = [...(request.past ?? [])];
  const from = folder ?? request.reads;
  const shared = folder === undefined ? undefined : request.lock?.shared;
  const stopWaiting = new AbortController();
  // Also with --json, which prints nothing else here: a run that waits for its store has no events.
  const sayOfStore = flags.json ? (text: string) => void process.stderr.write(`${text}\n`) : progress.say;
  const outbox =
    folder === undefined || shared === undefined
      ? undefined
      : await openShared(shared, folder, request.past?.length ?? 0, stopWaiting.signal, sayOfStore);
  const opened = openJournal({
    nowMs,
    split: secrets.split,
    ...(folder === undefined ? {} : { file: folder.journalFile, blobs: folder.blobs }),
    ...(request.past === undefined || from === undefined ? {} : { past: eventsFor(from, secrets.known) }),
    ...(request.lock === undefined ? {} : { lock: request.lock }),
    ...(outbox === undefined ? {} : { send: outbox.push }),
  });
  const journal = folder === undefined ? opened : namingSetBack(opened, clock, isBehind ? behindMs : 0);
  doors.hear((host, silence) => journal.emit({ e: 'waiting', host, ...silence }));
  journal.subscribe((recorded) => events.push(recorded));
  journal.subscribe(progress.on);
  const sinks = await openSinks(journal, flags, verb, folder);
  const { notify = [] } = project.inventory;
  const webhooks =
    folder === undefined || notify.length === 0 ? undefined : openWebhooks(notify, secrets, progress.say);
  if (webhooks !== undefined) journal.subscribe(webhooks.on);
  const interrupts = watchInterrupts(folder !== undefined, progress.say, () => stopsAfter(project, journal.state));
  interrupts.stopSignal.addEventListener('abort', () => {
    stopWaiting.abort();
    fleet.stopWaiting();
  });
  const compared = from ?? request.takesBack ?? undefined;
  const olderOf = (markers: ReadonlyMap<string, string>): readonly OlderJournal[] => {
    const runs = runsOfProject(project);
    if (isNewRun(request)) return findLostRuns(runs, markers);
    return compared === undefined ? [] : findOlderJournals(runs, compared, markers);
  };
  const leases = new Leases(project, (...asked) => fleet.swap(...asked), flags.without);
  const holder = request.lock?.holder;
  /** What keeps the run from the hosts; with `--from-hosts` the run's own journal does not. */
  const goOnFromHosts = (all: readonly OlderJournal[]): OlderJournal | undefined => {
    const own = flags.fromHosts ? all.filter(({ copy }) => copy === undefined || copy.folder.id === from?.id) : [];
    for (const event of own.length === 0 ? [] : fromHosts(project, journal.state, own)) journal.emit(event);
    return all.find((one) => !own.includes(one));
  };
  let keptOff: KeptOff | undefined;
  const takeLeases = async (own: Holder): Promise<string | undefined> => {
    // Who lost the run takes no lease on its hosts.
    await outbox?.mayAct();
    const by = await leases.take(own, (text) => journal.emit({ e: 'warned', text }), replacedBy(events, shared));
    const older = by === undefined ? goOnFromHosts(olderOf(leases.markers())) : undefined;
    if (older !== undefined) await leases.release();
    keptOff = by === undefined ? older && { older } : { by };
    return by === undefined ? older && olderText(older) : leaseText(by);
  };
  const releaseLeases = async (withMarkers: boolean): Promise<void> => {
    await within(leases.release(withMarkers), LAST_WRITE_MS, systemClock);
  };
  /** Hosts on which the run acted, and that could not be asked to remove its marker. */
  const endLeases = async (): Promise<readonly string[]> => {
    await releaseLeases(true);
    const acted = new Set(events.flatMap(({ event: e }) => (e.e === 'intent' ? [hostName(e.task.on)] : [])));
    return leases.marked().filter((host) => acted.has(host));
  };
  const findOlder = async (): Promise<OlderJournal | undefined> => {
    const { leases: standing } = await leases.find();
    const markers = new Map(leases.markers());
    // A run whose lease still stands may be at work, which is no matter of the plan of another.
    if (isNewRun(request) && !flags.fromHosts)
      for (const { host, holder: by } of standing) if (stateOf(by) !== 'ended') markers.delete(host);
    return goOnFromHosts(olderOf(markers));
  };
  /** Of a run that is only planned: nothing is written. */
  const lookForOlder = async (): Promise<string | undefined> => {
    const older = await findOlder();
    keptOff = older && { older };
    return older && olderText(older);
  };
  // `runbook stop` does not wait for an answer.
  const asked = (question: string): Promise<string | undefined> =>
    undrawn(() => ask(secrets.redact(question), false, interrupts.stopSignal));
  const paused = (question: string): Promise<string | undefined> => {
    if (isAttended()) webhooks?.waiting(question);
    return undrawn(() => ask(question, false, interrupts.stopSignal));
  };
  const record = (at: PausedAt): void => {
    journal.emit({ e: 'paused', ...at });
  };
  const goOn = pauses(project, flags, { ask: paused, say: progress.say, record }, key);
  const pausing = goOn === undefined ? {} : { goOn };
  const window = folder === undefined ? undefined : guardOf(request, fleet.clock);
  if (window !== undefined)
    journal.subscribe(
      onceOver(window, (stop) => {
        fleet.stopWaiting();
        progress.say(`${stopHeadline(stop)} Stopping after ${stopsAfter(project, journal.state)}.`);
      }),
    );
  const asksHosts = new Set<string>();
  const run = createRun(
    project,
    modules,
    {
      reader: {
        ask(needs, context) {
          for (const { of } of needs) if ('host' in of) asksHosts.add(of.host);
          return fleet.reader.ask(needs, context);
        },
      },
      ...(folder === undefined ? {} : { actor: guarded(fleet.actor, { journal, leases, holder, outbox }) }),
      // A plan has no folder of its own: beside the runs.
      keepTrace: traceKeeper(folder?.path ?? dirname(runsOfProject(project).folder)),
      clock,
      journal,
      ...(isAttended() ? { askOperator: asked } : {}),
      ...(flags.step ? { mayBegin: stepAsker((q) => undrawn(() => ask(q))) } : {}),
      ...(folder === undefined ? {} : pausing),
      ...(holder !== undefined
        ? { takeLeases: () => takeLeases(holder), endLeases }
        : isNewRun(request) || compared !== undefined
          ? { takeLeases: lookForOlder }
          : {}),
      ...(window === undefined ? {} : { window }),
      stopping: interrupts.stopping,
      stopSignal: interrupts.stopSignal,
      signal: interrupts.signal,
    },
    optionsOf(request),
  );
  const closeAll = async (): Promise<void> => {
    doors.hear(undefined);
    interrupts.end();
    await webhooks?.close();
    progress.end();
    await within(sinks.close(), LAST_WRITE_MS, systemClock);
    journal.close();
    doors.draw(undefined);
    if (folder !== undefined && !isUnfinished(journal.state)) doors.typedBefore?.forget();
    if (holder !== undefined) await releaseLeases(!isUnfinished(journal.state));
    if (request.doors === undefined) await doors.close();
  };
  let open = true;
  return {
    run,
    journal,
    events,
    leases,
    outsideLimit: () => {
      const outside = project.inventory.hosts
        .map(({ name }) => name)
        .filter((host) => request.limit?.has(host) === false);
      return {
        read: outside.filter((host) => asksHosts.has(host)),
        locked: outside.filter((host) => leases.hosts.includes(host)),
      };
    },
    keptOff: () => keptOff,
    findOlder,
    ask: (question) => undrawn(() => ask(question)),
    say: progress.say,
    split: secrets.split,
    async close() {
      if (!open) return;
      open = false;
      try {
        if (shared !== undefined && folder !== undefined && outbox?.hasFailed() === false)
          await sendLast({ shared, folder, outbox, stopWaiting, say: sayOfStore });
      } finally {
        stopWaiting.abort();
        await closeAll();
      }
    },
  };
}

/** Not of a rollback: it takes back whatever it finds. */
const isNewRun = ({ verb, folder, past, reads, takesBack }: SessionRequest): boolean =>
  folder === undefined
    ? verb === 'plan' && reads === undefined && takesBack === undefined
    : verb === 'apply' && past === undefined && findCopy(folder)?.backFrom === undefined;

/** Those whose leases count for nothing: of whom this process took the run over, and of whom an earlier one did. */
const replacedBy = (events: readonly Recorded[], shared: Shared | undefined): ReadonlySet<string> =>
  new Set([
    ...(shared?.replaces === undefined ? [] : [shared.replaces.token]),
    ...events.flatMap(({ event }) => (event.e === 'taken-over' ? [event.from] : [])),
  ]);

const optionsOf = ({ flags, limit, told, verb }: SessionRequest): RunOptions => ({
  forks: flags.forks,
  ...(flags.without === undefined ? {} : { without: flags.without }),
  ...(verb === 'diagnose' ? { diagnosing: true as const } : {}),
  ...(flags.why === undefined ? {} : { explains: true as const }),
  ...defined({ limit, told }),
  ...(flags.tags === undefined ? {} : { tags: flags.tags }),
  ...(flags.skipTags === undefined ? {} : { skipTags: flags.skipTags }),
});
