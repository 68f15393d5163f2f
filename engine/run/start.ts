import { hasActed } from '../journal/state.js';
import { modelHosts } from '../language/inventory/model-hosts.js';
import { zoneNames } from '../language/inventory/zone-names.js';
import { count } from '../lib/count.js';
import { nameHosts } from '../lib/name-hosts.js';
import type { Audit, RunEnd, Stop, Verb } from '../terms/event.js';
import type { Platform, Play } from '../terms/playbook.js';
import { restore, splitByFailure, notRestored } from './restore/restore.js';
import type { PlayEnd } from './batch.js';
import { defectOf, defectText } from './task/defect.js';
import { hostsNow } from './chosen.js';
import { takeOver } from './restore/temporary-changes.js';
import { runPlay } from './play.js';
import { recordFrom } from './facts/record-from.js';
import type { Run } from './run.js';
import { stopAsked } from './stop.js';

export interface Begin extends Audit {
  readonly run: string;
  readonly verb: Verb;
  /** Binds playbook, inventory and variables. */
  readonly hash: string;
  readonly inventory: string;
  /** The version that it leads to, where that is not the inventory's target. */
  readonly target?: string;
}

/**
 * A whole run: versions recorded, plays in order, temporary changes restored, and how it ended. Which of plan, apply and
 * resume it is, only the doors and the past events say.
 */
export async function runAll(run: Run, begin: Begin): Promise<RunEnd> {
  const startedMs = run.clock.nowMs();
  takeOver(run);
  const { playbook, inventory } = run.project;
  const ownReleases = ownReleasesOf(run.project.platform);
  const zones = zoneNames(inventory);
  run.journal.emit({
    e: 'run-started',
    ...(typeof inventory.platform['target'] === 'string' ? { target: inventory.platform['target'] } : {}),
    ...begin,
    playbook: playbook.name,
    ...(playbook.spec === undefined ? {} : { spec: playbook.spec }),
    hosts: inventory.hosts.length,
    ...(ownReleases.length === 0 ? {} : { ownReleases }),
    ...modelHosts(inventory),
    ...(zones.length === 0 ? {} : { zones }),
  });
  for (const host of run.options.without ?? [])
    run.journal.emit({ e: 'host-lost', host, reason: 'left out by --without', leftOut: true });
  // With the first questions, so that a host that is away is waited for once.
  const versions = recordFrom(run).catch((error: unknown) => ({
    as: 'refused' as const,
    reason: `while the versions were read: ${defectText(defectOf(run, 'versions', error))}`,
  }));
  const [refused, taken] = await Promise.all([versions, run.takeLeases?.()]);
  if (taken !== undefined) return endUntouched(run, taken, startedMs);
  const end = refused === undefined ? await runPlays(run) : { ...refused, untouched: [] };
  return finish(run, end, startedMs);
}

/** Components that name a version have releases of their own. */
const ownReleasesOf = ({ components, names }: Platform): readonly string[] =>
  components.filter((component) => names[component]?.['version'] !== undefined);

interface Stopped {
  readonly as: RunEnd;
  readonly reason?: string;
  readonly stop?: Stop;
  readonly untouched: readonly string[];
  /** Every play was gone through, if without hosts that failed or were lost. */
  readonly throughout?: true;
}

async function runPlays(run: Run): Promise<Stopped> {
  let worst: Stopped = { as: 'done', untouched: [] };
  const { plays } = run.project.playbook;
  for (const [index, play] of plays.entries()) {
    const stop = stopAsked(run) ?? ((await mayBegin(run, play)) ? undefined : { by: 'pause' as const });
    if (stop !== undefined) return stoppedBefore(plays.slice(index), stop);
    const end = await runPlay(run, play).catch((error: unknown) => playFailed(run, play, error));
    // Others may work on a host: what one play of an apply read there, the next reads again.
    if (run.actor !== undefined) run.facts.forgetHosts();
    if (end.is === 'done') continue;
    if (end.is === 'stopped' && end.notBegun === true) return stoppedBefore(plays.slice(index), end.stop);
    if (end.is === 'stopped')
      return {
        as: 'interrupted',
        reason: `in "${play.name}"`,
        stop: end.stop,
        untouched: names(plays.slice(index + 1)),
      };
    const left = plays.slice(end.notBegun === true ? index : index + 1);
    const stopped: Stopped = { ...endOf(run, end), reason: end.because, untouched: names(left) };
    if (!end.goOn) return stopped;
    worst = { ...stopped, untouched: [], throughout: true };
  }
  return worst.as === 'done' ? (withoutUnread(run) ?? withoutLost(run)) : worst;
}

/** A plan that comes to its end, and does not know what a step of it hangs on, is not whole. */
function withoutUnread({ unread }: Run): Stopped | undefined {
  const [first] = unread;
  if (first === undefined) return undefined;
  const others = unread.size === 1 ? '' : `, and ${count(unread.size - 1, 'other step')}`;
  return { as: 'unreachable', reason: `"${first}" cannot be read${others}`, untouched: [] };
}

/** What is thrown while the hosts or the condition of a play are read fails the play. */
const playFailed = (run: Run, play: Play, error: unknown): PlayEnd => ({
  is: 'failed',
  because: `in "${play.name}": ${defectText(defectOf(run, play.path, error))}`,
  goOn: false,
  ...(run.journal.state.plays.has(play.path) ? {} : { notBegun: true }),
});

const stoppedBefore = (left: readonly Play[], stop: Stop): Stopped => ({
  as: 'interrupted',
  reason: `before "${left[0]?.name ?? ''}"`,
  stop,
  untouched: names(left),
});

/** Not asked again of a play that was begun before the run was resumed. */
const mayBegin = async (run: Run, play: Play): Promise<boolean> =>
  run.goOn === undefined || run.journal.state.plays.has(play.path) || (await run.goOn({ before: play }));

/** All went well with the hosts that were there: not done while one of them is missing. */
function withoutLost(run: Run): Stopped {
  const lost = [...run.journal.state.lost.keys()];
  if (lost.length === 0) return { as: 'done', untouched: [] };
  return { as: 'unreachable', reason: `${nameHosts(lost)} could not be reached`, untouched: [], throughout: true };
}

/** Failed before anything changed is a refusal. */
function endOf(run: Run, end: Extract<PlayEnd, { goOn: boolean }>): Pick<Stopped, 'as' | 'stop'> {
  if (run.signal?.aborted === true) return { as: 'interrupted' };
  // That a host is not waited for any more because of a stop is no failure.
  const stop = end.is === 'unreachable' && !end.goOn ? stopAsked(run) : undefined;
  if (stop !== undefined) return { as: 'interrupted', stop };
  if (end.is === 'unreachable') return { as: 'unreachable' };
  return { as: hasActed(run.journal.state) ? 'failed' : 'refused' };
}

const nameOf = (play: Play): string => [...play.within, play.name].join(' / ');
const names = (plays: readonly Play[]): readonly string[] => [...new Set(plays.map(nameOf))];

const hostsByPlay = (run: Run, untouched: readonly string[]): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    run.project.playbook.plays.flatMap((play) =>
      untouched.includes(nameOf(play)) ? [[nameOf(play), hostsNow(run, play)] as const] : [],
    ),
  );

/** Restores temporary changes: all after a run that came to its end, after another only those whose restoring does no harm now. */
async function finish(run: Run, end: Stopped, startedMs: number): Promise<RunEnd> {
  const through = end.as === 'done' || end.throughout === true;
  const { give } = through ? { give: [...run.journal.state.temporaryChanges.values()] } : splitByFailure(run);
  const given = await restore(run, give, { by: 'end', again: through ? 'plays left open' : 'all' });
  const as = end.as === 'done' && !given ? 'failed' : end.as;
  const markersOn = as === 'done' ? await markersLeft(run) : {};
  run.journal.emit({
    e: 'run-ended',
    as,
    ...(given || end.as !== 'done' ? {} : { reason: 'a temporary change could not be restored' }),
    ...(end.reason === undefined ? {} : { reason: end.reason }),
    ...(end.stop === undefined ? {} : { stop: end.stop }),
    untouched: end.untouched,
    ...(end.untouched.length === 0 ? {} : { untouchedOn: hostsByPlay(run, end.untouched) }),
    ...(end.throughout === undefined ? {} : { throughout: end.throughout }),
    ...(run.defects.size === 0 ? {} : { defect: true }),
    notRestored: notRestored(run),
    ...markersOn,
    tookMs: run.clock.nowMs() - startedMs,
  });
  return as;
}

async function markersLeft({ endLeases }: Run): Promise<{ readonly markersOn?: readonly string[] }> {
  const markersOn = (await endLeases?.()) ?? [];
  return markersOn.length === 0 ? {} : { markersOn };
}

/** Another process works on these hosts: nothing is done there, and nothing restored. */
function endUntouched(run: Run, reason: string, startedMs: number): RunEnd {
  const tookMs = run.clock.nowMs() - startedMs;
  run.journal.emit({ e: 'run-ended', as: 'refused', reason, untouched: [], notRestored: notRestored(run), tookMs });
  return 'refused';
}

/** `close`: restores what an unfinished run has not restored yet, and closes it. */
export async function releaseRun(run: Run, audit: Audit = {}): Promise<RunEnd> {
  const startedMs = run.clock.nowMs();
  run.journal.emit({ e: 'close-started', ...audit });
  takeOver(run);
  const taken = await run.takeLeases?.();
  if (taken !== undefined) return endUntouched(run, taken, startedMs);
  const { temporaryChanges, plays } = run.journal.state;
  const through = run.project.playbook.plays.every(({ path }) => plays.get(path)?.ended === true);
  // Where something cannot be restored, the run stays open, and a resume must make again what was restored.
  const again = through ? 'plays left open' : 'all';
  const given = await restore(run, [...temporaryChanges.values()], { by: 'close', again });
  const as: RunEnd = given ? 'closed' : 'failed';
  const markersOn = given ? await markersLeft(run) : {};
  run.journal.emit({
    e: 'run-ended',
    as,
    ...(given ? {} : { reason: 'a temporary change could not be restored' }),
    untouched: [],
    notRestored: notRestored(run),
    ...markersOn,
    tookMs: run.clock.nowMs() - startedMs,
  });
  return as;
}
