import type { HttpAnswer } from '../../facts/http.js';
import { jsonOrUndefined, pointer, subsetOf } from '../../lib/json.js';
import { retryAfterMs } from '../../lib/retry-after.js';
import type { Outcome, PointerExpect } from '../../terms/action.js';
import { blocked, type Verdict } from '../../terms/change.js';
import type { Json } from '../../terms/json.js';
import type { Judgement } from '../../terms/module.js';

/** Too many requests, and what a service says that is starting or overloaded: worth asking again. */
const LATER: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const RETRY_MS = 5_000;

/** Of whom a step asks what, for messages, and when an answer means "later". */
export interface Asking {
  readonly endpoint: string;
  readonly call: string;
  readonly later?: readonly PointerExpect[];
  /** How long an answer is waited for where the step does not say; absent: the engine's own. */
  readonly patienceMs?: number;
}

export type Answered = Extract<HttpAnswer, { is: 'answered' }>;

/** An answer that can be judged; or the verdict where there is none: it is waited for, or reported. */
export function readable(answer: HttpAnswer, asking: Asking): Answered | Verdict {
  const patience = asking.patienceMs === undefined ? {} : { otherwiseMs: asking.patienceMs };
  if (answer.is === 'unreachable')
    return {
      is: 'waiting',
      for: `${asking.endpoint} to answer: ${answer.reason}`,
      unknown: { because: `${asking.endpoint} does not answer: ${answer.reason}`, dependsOn: [] },
      ...patience,
    };
  if (answer.is === 'untrusted') return blocked(answer.reason, answer.hint);
  if (isLater(answer.status, answer.json, asking))
    return {
      is: 'waiting',
      for: `${asking.endpoint} to be ready: ${asking.call} answers ${answer.status}: ${short(answer.text)}`,
      ...patience,
    };
  if (answer.status === 401 || answer.status === 403)
    return blocked(
      `${asking.endpoint} refuses ${asking.call}: ${answer.status} ${short(answer.text)}`,
      credentialsHint(asking),
    );
  return answer;
}

/** Judges what a request came to. Only what did not end as expected gets here with a reason of its own. */
export function judgeAnswer(outcome: Outcome, expected: readonly number[], asking: Asking): Judgement {
  if (outcome.is !== 'answered') return { is: 'done' };
  const { status, body, headers = {} } = outcome;
  const said = `${asking.call} answered ${status}: ${short(body)}`;
  if (isLater(status, jsonOrUndefined(body), asking))
    return { is: 'failed', reason: said, retryAfterMs: retryAfterMs(headers) ?? RETRY_MS };
  if (expected.includes(status)) return { is: 'done' };
  if (status === 401 || status === 403) return { is: 'failed', reason: said, hint: credentialsHint(asking) };
  return { is: 'failed', reason: said };
}

const isLater = (status: number, json: Json | undefined, { later = [] }: Asking): boolean =>
  LATER.has(status) ||
  later.some(
    (p) => json !== undefined && pointer(json, p.pointer) !== undefined && subsetOf(p.equals, pointer(json, p.pointer)),
  );

const credentialsHint = ({ endpoint }: Asking): string =>
  `see user and password of the endpoint ${endpoint} in the inventory, and what that user may do`;

export const short = (text: string): string =>
  (text.length > 200 ? `${text.slice(0, 200)}…` : text).replaceAll(/\s+/g, ' ').trim();
