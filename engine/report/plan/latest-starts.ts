import type { Outlook } from '../../terms/state-now.js';
import { showDuration } from '../../lib/duration.js';
import { rollbackMsAfter } from './plan-window.js';
import { clockText } from './window-lines.js';

/** Until when a resume, with time for a rollback after it, and a rollback from here still end inside the maintenance window. */
export function latestStarts({ window, left, backOut }: Outlook = {}): string | undefined {
  if (window === undefined) return undefined;
  const { closesMs, nowMs, zone } = window;
  const rollbackMs = rollbackMsAfter(window.rollbackMs, backOut === undefined ? [] : [backOut]);
  const resume = rollbackMs === 0 ? 'resume' : `resume + rollback (${showDuration(rollbackMs)})`;
  const backMs = backOut?.command === 'rollback' ? (backOut.counted?.maxMs ?? backOut.takesMs) : undefined;
  const starts = [
    ...(left === undefined ? [] : [{ what: resume, latestMs: closesMs - left.maxMs - rollbackMs }]),
    ...(backMs === undefined ? [] : [{ what: 'rollback', latestMs: closesMs - backMs }]),
  ].map(({ what, latestMs }) => `${what} ${clockText(latestMs, zone)}${latestMs < nowMs ? ' (too late)' : ''}`);
  return starts.length === 0 ? undefined : `latest start: ${starts.join('; ')}`;
}
