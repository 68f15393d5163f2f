import type { Progress } from '../../report/live/live.js';
import type { Flags } from '../options/flags.js';
import { watchKeys } from './keys.js';
import type { PauseKey } from '../run/pauses.js';
import { isAttended } from './prompt.js';

const HELP =
  'Keys: p pauses at the next safe point, p again cancels the pause · Ctrl-C stops there · Ctrl-C twice stops at once. ' +
  'From another terminal: runbook stop, runbook attach.';

/** The live view of a run, with keys where there is a terminal. */
export function withKeys(progress: Progress, flags: Flags): { readonly progress: Progress; readonly key?: PauseKey } {
  if (!isAttended() || flags.plain || flags.json || process.env['TERM'] === 'dumb') return { progress };
  const key: PauseKey = { wanted: false };
  const keys = watchKeys({
    p: () => {
      key.wanted = !key.wanted;
      progress.say(key.wanted ? 'Pausing at the next safe point. Press p again to cancel.' : 'Pause cancelled.');
    },
    '?': () => progress.say(HELP),
  });
  keys.on();
  return {
    key,
    progress: {
      ...progress,
      end() {
        keys.off();
        progress.end();
      },
    },
  };
}
