import type { Action, Outcome } from '../../engine/terms/action.js';
import type { Actor } from '../../engine/terms/machine.js';

/** An actor whose every effect comes by here. */
export const each =
  (of: (action: Action, real: () => Promise<Outcome>) => Promise<Outcome>) =>
  (real: Actor): Actor => ({
    job: (on, id) => real.job(on, id),
    perform: (on, action, context) => of(action, () => real.perform(on, action, context)),
  });

/** How long things take on a slow host, minutes. */
const SLOW: readonly (readonly [RegExp, number])[] = [
  [/download-?only/, 20],
  [/ install .*(platform-agent|filebeat)/, 10],
  [/ install |msiexec|installer/, 20],
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
