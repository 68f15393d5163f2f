import { packageState, type PackageState } from '../facts/package.js';
import { render } from '../language/render.js';
import type { RunEnd, Verb } from '../terms/event.js';
import { need } from '../terms/fact.js';
import type { Play } from '../terms/playbook.js';
import { giveBack, splitByFailure, stillOwed } from './give-back.js';
import { runPlay, type PlayEnd } from './play.js';
import type { Run } from './run.js';
import { scopeOf } from './scope.js';
import { think } from './think.js';

export interface Begin {
  readonly run: string;
  readonly verb: Verb;
  /** Binds playbook, inventory and variables. */
  readonly hash: string;
  readonly inventory: string;
}

/**
 * A whole run: versions recorded, plays in order, temporary changes given back, and how it ended. Which of plan, apply and
 * resume it is, only the doors and the past events say.
 */
export async function runAll(run: Run, begin: Begin): Promise<RunEnd> {
  const startedMs = run.clock.nowMs();
  const { playbook, inventory } = run.project;
  run.journal.emit({
    e: 'run-started',
    ...begin,
    playbook: playbook.name,
    ...(playbook.spec === undefined ? {} : { spec: playbook.spec }),
    hosts: inventory.hosts.length,
    ...(typeof inventory.platform['target'] === 'string' ? { target: inventory.platform['target'] } : {}),
  });
  const lost = await recordFrom(run);
  const end = lost ?? (await runPlays(run));
  return finish(run, end, startedMs);
}

interface Stopped {
  readonly as: RunEnd;
  readonly reason?: string;
  readonly untouched: readonly string[];
}

/** The versions upgraded from are read once, before anything changes, on every host; a host that does not answer ends the run here. */
async function recordFrom(run: Run): Promise<Stopped | undefined> {
  const { components } = run.project.platform;
  const concerned = run.project.inventory.hosts.filter(
    (h) => !run.journal.state.from.has(h.name) && (run.options.limit?.has(h.name) ?? true),
  );
  const readings = await think(run, (peek) =>
    concerned.map((host) => ({
      host: host.name,
      versions: components.map((component) => {
        const rendered = render(`{{${component}.package}}`, scopeOf(run, { host: host.name }, peek, []));
        const name = rendered.is === 'value' && typeof rendered.value === 'string' ? rendered.value : component;
        return [component, peek(need({ host: host.name }, packageState, name))] as const;
      }),
    })),
  );
  const lost: string[] = [];
  const away: string[] = [];
  for (const { host, versions } of readings) {
    const failed = versions.map(([, r]) => r).find((r) => 'failed' in r);
    if (failed !== undefined && 'failed' in failed) {
      run.journal.emit({
        e: 'host-lost',
        host,
        reason: failed.failed.reason,
        ...(failed.failed.hint === undefined ? {} : { hint: failed.failed.hint }),
      });
      (failed.failed.why === 'unreachable' ? away : lost).push(host);
      continue;
    }
    const found = versions.map(
      ([component, r]) =>
        [component, 'known' in r && r.known ? (r.value as unknown as PackageState).installed : null] as const,
    );
    run.journal.emit({ e: 'from', host, versions: Object.fromEntries(found) });
  }
  // A host that answers and lets nobody work on it (a wrong key or password) is there: that is a refusal.
  if (away.length > 0)
    return { as: 'unreachable', reason: `${away.join(', ')}: not reachable; nothing was changed`, untouched: [] };
  if (lost.length > 0)
    return { as: 'refused', reason: `${lost.join(', ')}: cannot be worked on; nothing was changed`, untouched: [] };
  return undefined;
}

async function runPlays(run: Run): Promise<Stopped> {
  let worst: Stopped = { as: 'done', untouched: [] };
  const { plays } = run.project.playbook;
  for (const [index, play] of plays.entries()) {
    if (run.stopping?.() === true)
      return { as: 'interrupted', reason: `before "${play.name}"`, untouched: names(plays.slice(index)) };
    const end = await runPlay(run, play);
    if (end.is === 'done') continue;
    if (end.is === 'stopped')
      return { as: 'interrupted', reason: `in "${play.name}"`, untouched: names(plays.slice(index + 1)) };
    const stopped: Stopped = { as: asRunEnd(run, end), reason: end.because, untouched: names(plays.slice(index + 1)) };
    if (!end.goOn) return stopped;
    worst = { ...stopped, untouched: [] };
  }
  return worst;
}

/** Failed before anything changed is a refusal. */
const asRunEnd = (run: Run, end: Extract<PlayEnd, { goOn: boolean }>): RunEnd => {
  if (run.signal?.aborted === true) return 'interrupted';
  if (end.is === 'unreachable') return 'unreachable';
  return [...run.journal.state.tasks.values()].some((t) => t.acted === true) ? 'failed' : 'refused';
};

const names = (plays: readonly Play[]): readonly string[] => [
  ...new Set(plays.map((p) => [...p.within, p.name].join(' / '))),
];

/** Gives back what is temporary: all of it after a run that went well, after another only what does no harm now. */
async function finish(run: Run, end: Stopped, startedMs: number): Promise<RunEnd> {
  const { give } = end.as === 'done' ? { give: [...run.journal.state.debts.values()] } : splitByFailure(run);
  const given = await giveBack(run, give, { by: 'end', again: end.as !== 'done' });
  const as = end.as === 'done' && !given ? 'failed' : end.as;
  run.journal.emit({
    e: 'run-ended',
    as,
    ...(given || end.as !== 'done' ? {} : { reason: 'a temporary change could not be given back' }),
    ...(end.reason === undefined ? {} : { reason: end.reason }),
    untouched: end.untouched,
    stillOwed: stillOwed(run),
    tookMs: run.clock.nowMs() - startedMs,
  });
  return as;
}

/** `release`: gives back what an unfinished run left in place, and closes it. */
export async function releaseRun(run: Run): Promise<RunEnd> {
  const startedMs = run.clock.nowMs();
  const given = await giveBack(run, [...run.journal.state.debts.values()], { by: 'release', again: false });
  const as: RunEnd = given ? 'released' : 'failed';
  run.journal.emit({
    e: 'run-ended',
    as,
    ...(given ? {} : { reason: 'a temporary change could not be given back' }),
    untouched: [],
    stillOwed: stillOwed(run),
    tookMs: run.clock.nowMs() - startedMs,
  });
  return as;
}
