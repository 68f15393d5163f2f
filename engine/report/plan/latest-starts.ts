import type { Outlook } from '../../terms/state-now.js';
import { showDuration } from '../../lib/duration.js';
import { rollbackMsAfter } from './plan-window.js';
import { clockText } from './window-lines.js';

/** Until when something that is begun from here still ends inside the maintenance window. */
export interface LatestStart {
  readonly of: 'resume' | 'rollback';
  readonly atMs: number;
  readonly zone: string;
  /** Of a resume: the time that is left for a rollback after it. */
  readonly rollbackMs: number;
  readonly isPast: boolean;
}

/** Of a resume, with time for a rollback after it, and of a rollback from here. */
export function latestStarts({ window, left, backOut }: Outlook = {}): readonly LatestStart[] {
  if (window === undefined) return [];
  const { closesMs, nowMs, zone } = window;
  const rollbackMs = rollbackMsAfter(window.rollbackMs, backOut === undefined ? [] : [backOut]);
  const backMs = backOut?.command === 'rollback' ? (backOut.counted?.maxMs ?? backOut.takesMs) : undefined;
  return [
    ...(left === undefined ? [] : [{ of: 'resume' as const, atMs: closesMs - left.maxMs - rollbackMs, rollbackMs }]),
    ...(backMs === undefined ? [] : [{ of: 'rollback' as const, atMs: closesMs - backMs, rollbackMs: 0 }]),
  ].map((one) => ({ ...one, zone, isPast: one.atMs < nowMs }));
}

export function latestStartsText(all: readonly LatestStart[]): string | undefined {
  const starts = all.map(({ of, atMs, zone, rollbackMs, isPast }) => {
    const what = rollbackMs === 0 ? of : `${of} + rollback (${showDuration(rollbackMs)})`;
    return `${what} ${clockText(atMs, zone)}${isPast ? ' (too late)' : ''}`;
  });
  return starts.length === 0 ? undefined : `latest start: ${starts.join('; ')}`;
}
