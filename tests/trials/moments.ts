import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { onePlay } from '../cli/cli-harness.js';
import { counted, until, type Watched } from './team.js';
import type { Trial } from './trial.js';

/** How many steps the playbooks of these trials have: `step0` and so on. */
export const STEPS = 10;
export const PLAYBOOK = onePlay(Array.from({ length: STEPS }, (_, n) => counted(`step${n}`)).join(''));
/** Who works on a run is never silent for longer. */
export const MOST_SILENT_MS = 30_000;

/**
 * When a process is frozen. `sent`: just before it sends the effect, after the store's answer. `begun`: just after it has sent it. `any`: within
 * some time of the record of the step.
 */
const WHEN = ['sent', 'begun', 'any'] as const;
/** For what an awakened process sends to arrive. */
const SETTLE_MS = 500;

export interface Moment {
  readonly step: number;
  readonly when: (typeof WHEN)[number];
  readonly afterMs: number;
}

/** Not in the last two steps: the run would have ended before its process is frozen. */
export const momentOf = ({ pick }: Trial, mostMs: number): Moment => ({
  step: pick(STEPS - 2),
  when: WHEN[pick(WHEN.length)] ?? 'any',
  afterMs: pick(mostMs),
});

/** The environment of a program that freezes itself where it sends the text; without one it is frozen from outside. */
export const freezing = ({ when }: Moment, text: string): Readonly<Record<string, string>> =>
  when === 'any'
    ? {}
    : {
        NODE_OPTIONS: `--import=${join(import.meta.dirname, 'freeze.js')}`,
        FREEZE_TEXT: text,
        FREEZE_WHEN: when === 'sent' ? 'before' : 'after',
      };

/** Waits until a process is frozen; `line` is what it prints as the step begins. False: it ended before. */
export async function freeze(process: Watched, { when, afterMs }: Moment, line: RegExp): Promise<boolean> {
  const { running, hasEnded, text } = process;
  if (when === 'any') {
    await until(() => line.test(text()), process);
    await sleep(afterMs);
    running.kill('SIGSTOP');
  }
  await until(() => hasEnded() || /^\d+ \(.*\) T/.test(statOf(running.pid)));
  return !hasEnded();
}

function statOf(pid = 0): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return '';
  }
}

/** Awakens a process and waits for its end; `late` is by how much it raised the count. */
export async function awaken({ running }: Watched, count: () => number) {
  const before = count();
  running.kill('SIGCONT');
  const { exitCode } = await running;
  await sleep(SETTLE_MS);
  return { code: exitCode, late: count() - before };
}
