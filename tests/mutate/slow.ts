import type { Action, Outcome } from '../../engine/terms/action.js';
import { refKey, type Answer } from '../../engine/terms/fact.js';
import type { Actor, Reader } from '../../engine/terms/machine.js';

/** An actor whose every effect comes by here. */
export const each =
  (of: (action: Action, real: () => Promise<Outcome>) => Promise<Outcome>) =>
  (real: Actor): Actor => ({
    ...real,
    perform: (on, action, context) => of(action, () => real.perform(on, action, context)),
  });

/** How long things take on a slow host, minutes. */
const SLOW: readonly (readonly [RegExp, number])[] = [
  [/download-?only/, 20],
  [/ install .*(platform-agent|filebeat)/, 10],
  [/ install /, 20],
  [/msiexec|installer/, 10],
  [/apt-get update|makecache/, 6],
  [/expire-cache|platform-keystore|logger/, 0.5],
  [/security-init|filebeat setup/, 3],
  [/test output/, 1],
  [/systemctl (start|restart)/, 4],
  [/_flush/, 3],
];
const OTHERWISE = 0.1;

/** On slow hosts a command whose time limit is too short for it fails. */
export const slow = each((action, real) => {
  const [line, limitMs] = lineAndLimit(action);
  const [, minutes] = SLOW.find(([like]) => like.test(line)) ?? [undefined, OTHERWISE];
  return minutes * 60_000 > limitMs
    ? Promise.resolve({ is: 'ended', exit: 124, stdout: '', stderr: 'it takes longer' })
    : real();
});

function lineAndLimit(action: Action): readonly [line: string, limitMs: number] {
  switch (action.do) {
    case 'run':
    case 'job':
      return [action.command.argv.join(' '), action.command.timeoutMs];
    case 'request':
      return [action.request.path, action.request.timeoutMs];
    default:
      return ['', Infinity];
  }
}

/** On slow hosts a program that only reads takes a while too. */
export const slowReader = (real: Reader): Reader => ({
  ask: async (needs, context) => {
    const answers = new Map(await real.ask(needs, context));
    for (const need of needs) {
      if (need.fact !== 'probe') continue;
      const { timeoutMs } = JSON.parse(need.key) as { readonly timeoutMs?: number };
      if (timeoutMs !== undefined && timeoutMs < READ_MS) answers.set(refKey(need), tooSlow);
    }
    return answers;
  },
});

const READ_MS = 20_000;
const tooSlow: Answer = { is: 'failed', why: 'unreadable', reason: 'it takes longer' };
