import { defined } from '../../lib/defined.js';
import { jsonOrUndefined, pointer, stableStringify } from '../../lib/json.js';
import { lastLines } from '../../lib/last-lines.js';
import { compilePattern } from '../../lib/pattern.js';
import { quote } from '../../lib/quote.js';
import { masked } from '../../modules/shared/mask.js';
import type { Action, Expect, Outcome } from '../../terms/action.js';
import type { Stop } from '../../terms/event.js';
import type { Hint } from '../../terms/hint.js';

/** What performing an action, or all of a change, came to. `unknown`: it may have happened, so the machine is asked again. */
export type Performed =
  | { readonly is: 'done' }
  /** `lost`: the connection went. */
  | { readonly is: 'unknown'; readonly why: string; readonly lost?: 'host' | 'endpoint' }
  | Unmet;

/** A question that was cut off by what asks the run to stop. */
export interface Stopped {
  readonly is: 'stopped';
  readonly stop: Stop;
}

interface Unmet {
  readonly is: 'failed';
  readonly reason: string;
  readonly hint?: Hint;
  readonly retryAfterMs?: number;
}

const DONE = { is: 'done' } as const;

/** Did this outcome meet what was expected of it? Exit 0 or a 200 alone say nothing. */
export function meets(action: Action, outcome: Outcome): Performed {
  switch (outcome.is) {
    case 'unknown':
      return defined({
        is: 'unknown' as const,
        why: `${UNKNOWN[outcome.why]}${outcome.detail === undefined ? '' : `: ${outcome.detail}`}`,
        lost:
          outcome.why !== 'connection'
            ? undefined
            : action.do === 'request'
              ? ('endpoint' as const)
              : ('host' as const),
      });
    case 'refused':
      return defined({ is: 'failed' as const, reason: outcome.found, hint: outcome.hint });
    case 'applied':
    case 'said':
      return DONE;
    case 'ended':
      return named(action, endedAs('expect' in action && 'exit' in action.expect ? action.expect : WELL, outcome));
    case 'answered':
      return 'expect' in action && 'status' in action.expect ? answeredAs(action.expect, outcome) : DONE;
  }
}

/** A failed command is shown with its exit status and its last lines. */
const named = (action: Action, met: Performed): Performed =>
  met.is === 'failed' && (action.do === 'run' || action.do === 'job')
    ? { ...met, reason: `${masked(quote(action.command.argv))} ${met.reason}` }
    : met;

/** What has no expectation of its own (a file that is written, an archive that is unpacked) ends with status 0. */
const WELL = { exit: [0] } as const;

const UNKNOWN = {
  connection: 'the connection was lost',
  timeout: 'the time limit passed',
  crash: 'the run ended',
} as const;

/** What is cut is shown, and never judged. */
export const TOO_LONG = {
  is: 'failed',
  reason: 'output too long: it was cut, so what it says is not judged',
  hint: 'let it print less, or write to a file',
} as const;

function endedAs(expect: Extract<Expect, { exit: unknown }>, outcome: Extract<Outcome, { is: 'ended' }>): Performed {
  const said = tail(outcome.stderr.trim() === '' ? outcome.stdout : outcome.stderr);
  if (!expect.exit.includes(outcome.exit))
    return { is: 'failed', reason: `ended with status ${outcome.exit}${said === '' ? '' : `: ${said}`}` };
  if (outcome.cut === true && (expect.stdout ?? expect.notStdout) !== undefined)
    return { ...TOO_LONG, reason: `ended with status ${outcome.exit}; ${TOO_LONG.reason}` };
  if (outcome.cut === true) return DONE;
  if (expect.stdout !== undefined && !compilePattern(expect.stdout).test(outcome.stdout))
    return {
      is: 'failed',
      reason: `ended with status ${outcome.exit}, but its output does not say "${expect.stdout}"${said === '' ? '' : `: ${said}`}`,
    };
  const forbidden = expect.notStdout === undefined ? null : compilePattern(expect.notStdout).exec(outcome.stdout);
  return forbidden === null
    ? DONE
    : { is: 'failed', reason: `ended with status ${outcome.exit}, but says "${forbidden[0]}"` };
}

function answeredAs(
  expect: Extract<Expect, { status: unknown }>,
  outcome: Extract<Outcome, { is: 'answered' }>,
): Performed {
  if (!expect.status.includes(outcome.status))
    return { is: 'failed', reason: `answered ${outcome.status}: ${tail(outcome.body)}` };
  if (outcome.cut === true) return (expect.at ?? []).length === 0 ? DONE : TOO_LONG;
  const json = jsonOrUndefined(outcome.body);
  for (const { pointer: at, equals } of expect.at ?? []) {
    const found = json === undefined ? undefined : pointer(json, at);
    if (found === undefined || stableStringify(found) !== stableStringify(equals))
      return {
        is: 'failed',
        reason: `answered ${outcome.status}, but ${at} is ${found === undefined ? 'absent' : stableStringify(found)}, not ${stableStringify(equals)}`,
      };
  }
  return DONE;
}

const tail = (text: string): string => lastLines(text, 5).join(' | ').slice(-600);
