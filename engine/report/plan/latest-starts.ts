import type { Outlook } from '../../terms/state-now.js';
import { rollbackMsAfter } from './plan-window.js';
import { clockText } from './window-lines.js';

/** Until when a resume, with time for a rollback after it, and a rollback from here still end inside the maintenance window. */
export function latestStarts({ window, left, backOut }: Outlook = {}): string | undefined {
  if (window === undefined) return undefined;
  const { closesMs, nowMs, zone } = window;
  const rollbackMs = rollbackMsAfter(window.rollbackMs, backOut === undefined ? [] : [backOut]);
  const resume = rollbackMs === 0 ? 'resume' : 'resume, then rollback';
  const starts = [
    ...(left === undefined ? [] : [{ what: resume, latestMs: closesMs - left.maxMs - rollbackMs }]),
    ...(backOut?.command !== 'rollback'
      ? []
      : [{ what: 'rollback', latestMs: closesMs - (backOut.counted?.maxMs ?? backOut.takesMs) }]),
  ].map(({ what, latestMs }) => `${what} ${clockText(latestMs, zone)}${latestMs < nowMs ? ' (too late)' : ''}`);
  return starts.length === 0 ? undefined : `latest start: ${starts.join('; ')}`;
}
