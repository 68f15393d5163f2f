import { dirname } from 'node:path';
import type { Journal } from '../../journal/journal.js';
import { isUnfinished } from '../../journal/state.js';
import { defined } from '../../lib/defined.js';
import { countingOn } from '../../machines/system-clock.js';
import { modules } from '../platforms.js';
import type { Recorded } from '../../terms/event.js';
import type { Reader, Secrets } from '../../terms/machine.js';
import type { OutsideLimit } from '../../report/plan/plan-summary.js';
import { createRun, type Ports, type Run } from '../../run/run.js';
import { runsOfProject } from '../options/project.js';
import { withKeys } from '../terminal/key-pause.js';
import { ask, isAttended, watchInterrupts, type Interrupts } from '../terminal/prompt.js';
import { openProgress } from '../terminal/sinks.js';
import { stepAsker } from '../terminal/step-asker.js';
import { stopHeadline } from '../../report/end/stop-lines.js';
import { behindMsOf, behindText } from './clock-set-back.js';
import { openDoors, type Doors } from './doors.js';
import { guarded } from './guarded.js';
import { HostLeases } from './host-leases.js';
import { pauses } from './pauses.js';
import { openRecording, type Recording } from './recording.js';
import { runOptions, type SessionRequest } from './session-request.js';
import { traceKeeper } from './traces.js';
import { guardOf, onceOver, stopsAfter } from './window.js';

/** A run with its doors open, its events kept, and what must be closed after it. */
export interface Session {
  readonly run: Run;
  readonly journal: Journal;
  readonly events: readonly Recorded[];
  readonly hostLeases: HostLeases;
  /** Hosts that `--limit` leaves out and that this run reads or locks all the same, as far as it has come. */
  readonly outsideLimit: () => OutsideLimit;
  /** Asks the operator with nothing drawn over the question. */
  readonly ask: (question: string) => Promise<string | undefined>;
  /** A line of the program's own, which `--json` does not have. */
  readonly say: (text: string) => void;
  /** Finds the secrets that are known in a text. */
  readonly split: Secrets['split'];
  /** The second time it does nothing. */
  close(): Promise<void>;
}

/** Opens the doors of a run; when the model that its inventory names is away, refuses. */
export async function openSession(request: SessionRequest): Promise<Session> {
  const { project, flags, folder, verb, past } = request;
  const doors = request.doors ?? (await openDoors({ ...request, ...workersNeeded(request) }));
  const { secrets, fleet, undrawn } = doors;
  // Of a run that goes on where the clock is behind its last record, the times count on from there.
  const clock = countingOn(fleet.clock, past?.at(-1)?.atMs);
  const live = openProgress(project, flags, verb, () => clock.nowMs(), defined({ phases: request.phases }));
  const { progress, key } = folder === undefined ? { progress: live, key: undefined } : withKeys(live, flags);
  doors.draw(progress);
  const behindMs = folder === undefined ? 0 : behindMsOf(clock, fleet.clock);
  if (behindMs > 0) progress.say(behindText(behindMs));
  const recording = await openRecording(request, doors, { clock, behindMs, progress });
  const { journal, events } = recording;
  const hostLeases = new HostLeases(request, { ...recording, swap: (...asked) => fleet.swap(...asked) });
  const interrupts = watchInterrupts(folder !== undefined, progress.say, () => stopsAfter(project, journal.state));
  interrupts.stopSignal.addEventListener('abort', () => {
    recording.stopWaiting();
    fleet.stopWaiting();
  });
  const window = folder === undefined ? undefined : guardOf(request, fleet.clock);
  if (window !== undefined)
    journal.subscribe(
      onceOver(window, (stop) => {
        fleet.stopWaiting();
        progress.say(`${stopHeadline(stop)} Stopping after ${stopsAfter(project, journal.state)}.`);
      }),
    );
  const { asked, reader } = noting(fleet.reader);
  const questions = operatorQuestions(request, { doors, recording, interrupts, say: progress.say, key });
  const run = createRun(
    project,
    modules,
    {
      reader,
      ...(folder === undefined
        ? {}
        : { actor: guarded(fleet.actor, { ...recording, leases: hostLeases.leases, holder: request.lock?.holder }) }),
      // A plan has no folder of its own: beside the runs.
      keepTrace: traceKeeper(folder?.path ?? dirname(runsOfProject(project).folder)),
      ...{ clock, journal, ...questions, ...hostLeases.ports() },
      ...defined({ window }),
      stopping: interrupts.stopping,
      stopSignal: interrupts.stopSignal,
      signal: interrupts.signal,
    },
    runOptions(request),
  );
  const closeAll = async (): Promise<void> => {
    interrupts.end();
    await recording.close();
    doors.draw(undefined);
    const isOpen = isUnfinished(journal.state);
    if (folder !== undefined && !isOpen) doors.typedBefore?.forget();
    await hostLeases.release({ withMarkers: !isOpen });
    if (request.doors === undefined) await doors.close();
  };
  let open = true;
  return {
    ...{ run, journal, events, hostLeases },
    outsideLimit: () => outsideLimit(request, asked, hostLeases.leases.hosts),
    ask: (question) => undrawn(() => ask(question)),
    say: progress.say,
    split: secrets.split,
    async close() {
      if (!open) return;
      open = false;
      try {
        await recording.sendLast();
      } finally {
        recording.stopWaiting();
        await closeAll();
      }
    },
  };
}

/** A close restores what it can reach; a diagnosis reports what it cannot. */
const workersNeeded = ({ verb }: SessionRequest): { readonly needsWorkers?: false } =>
  verb === 'close' || verb === 'diagnose' ? { needsWorkers: false } : {};

interface Asking {
  readonly doors: Doors;
  readonly recording: Recording;
  readonly interrupts: Interrupts;
  readonly say: (text: string) => void;
  readonly key: Parameters<typeof pauses>[3];
}

/** What a run may ask its operator. `runbook stop` does not wait for an answer. */
function operatorQuestions(
  { project, flags, folder }: SessionRequest,
  { doors: { secrets, undrawn }, recording: { journal, webhooks }, interrupts, say, key }: Asking,
): Pick<Ports, 'askOperator' | 'mayBegin' | 'goOn'> {
  const asked = (question: string): Promise<string | undefined> =>
    undrawn(() => ask(secrets.redact(question), false, interrupts.stopSignal));
  const paused = (question: string): Promise<string | undefined> => {
    if (isAttended()) webhooks?.waiting(question);
    return undrawn(() => ask(question, false, interrupts.stopSignal));
  };
  const goOn =
    folder === undefined
      ? undefined
      : pauses(project, flags, { ask: paused, say, record: (at) => journal.emit({ e: 'paused', ...at }) }, key);
  return {
    ...(isAttended() ? { askOperator: asked } : {}),
    ...(flags.step ? { mayBegin: stepAsker((question) => undrawn(() => ask(question))) } : {}),
    ...defined({ goOn }),
  };
}

/** A reader, and the hosts that were asked through it. */
function noting(reader: Reader): { readonly asked: ReadonlySet<string>; readonly reader: Reader } {
  const asked = new Set<string>();
  return {
    asked,
    reader: {
      ask(needs, context) {
        for (const { of } of needs) if ('host' in of) asked.add(of.host);
        return reader.ask(needs, context);
      },
    },
  };
}

function outsideLimit(
  { project: { inventory }, limit }: SessionRequest,
  asked: ReadonlySet<string>,
  leased: readonly string[],
): OutsideLimit {
  const outside = inventory.hosts.map(({ name }) => name).filter((host) => limit?.has(host) === false);
  return {
    read: outside.filter((host) => asked.has(host)),
    locked: outside.filter((host) => leased.includes(host)),
  };
}
