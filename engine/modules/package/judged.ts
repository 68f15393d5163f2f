import type { Outcome } from '../../terms/action.js';
import type { Judgement } from '../../terms/module.js';
import { lastLines } from '../shared/lines.js';
import { hollowSuccess, packageFailure } from './failures.js';

/** What a package manager's end came to: its own words say why it failed, and whether its success is one. */
export function judged(outcome: Outcome): Judgement {
  if (outcome.is !== 'ended') return { is: 'done' };
  if (outcome.exit === 0) {
    const hollow = hollowSuccess(outcome.stdout);
    return hollow === undefined ? { is: 'done' } : { is: 'failed', ...hollow };
  }
  const printed = `${outcome.stdout}\n${outcome.stderr}`;
  const unknown = {
    reason: `the package manager ended with status ${outcome.exit}: ${lastLines(printed)}`,
    hint: { look: '/var/log/apt/term.log and /var/log/dpkg.log, or /var/log/dnf.log' },
  };
  return { is: 'failed', ...(packageFailure(printed) ?? unknown) };
}
