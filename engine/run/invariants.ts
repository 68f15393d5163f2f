import type { Invariant, Play } from '../terms/playbook.js';
import type { Run } from './run.js';
import { isStopping } from './stop.js';
import { truthWithReads } from './facts/truth-now.js';
import { noteUnread } from './unread.js';

const POLL_MS = 2_000;

/**
 * Asks the platform's invariants before hosts of a serial play are taken in hand, and waits within each one's limit for it to
 * hold. Returns what is broken in words, or undefined. A plan asks once and does not wait; where it has shown changes before (a node
 * that does not run would be started), they may fix what is broken now, so it only shows what will be waited for.
 */
export async function holdInvariants(run: Run, play: Play, hosts: readonly string[]): Promise<string | undefined> {
  for (const invariant of run.project.platform.invariants) {
    if (!hosts.some((h) => run.hosts.get(h)?.roles.some((role) => invariant.roles.includes(role)) === true)) continue;
    const broken = await hold(run, play, invariant, hosts[0] ?? '');
    if (broken !== undefined) return broken;
  }
  return undefined;
}

async function hold(run: Run, play: Play, invariant: Invariant, host: string): Promise<string | undefined> {
  const startMs = run.clock.nowMs();
  for (;;) {
    const { truth, reads } = await truthWithReads(run, invariant.condition, { play, host });
    noteUnread(run, { play, host, name: invariant.name, truth, reads });
    if (truth.is === true || (run.actor === undefined && truth.is === 'unknown')) return undefined;
    const forMs = run.clock.nowMs() - startMs;
    const said = `${invariant.name}: ${truth.because}`;
    if (run.actor === undefined && run.facts.anyPredicted) {
      run.journal.emit({ e: 'waiting', host, for: said, forMs: 0, limitMs: invariant.withinMs });
      return undefined;
    }
    const never = truth.is === 'unknown' && truth.never === true;
    if (never || run.actor === undefined || forMs >= invariant.withinMs || isStopping(run))
      return `before ${host}: ${said}`;
    run.journal.emit({ e: 'waiting', host, for: said, forMs, limitMs: invariant.withinMs });
    await run.clock.sleep(POLL_MS, run.signal);
    run.facts.forgetEndpoints();
  }
}
