import { errorText, isWebPage } from '../../lib/error-text.js';
import { jsonOrUndefined, pointer } from '../../lib/json.js';
import { retryAfterMs } from '../../lib/retry-after.js';
import type { Clock } from '../../terms/machine.js';
import type { HttpResult } from './http-client.js';

type Answered = Extract<HttpResult, { is: 'answered' }>;

/** The number that the management API gives its errors (`1017`); undefined when there is none. */
export function errorCode({ body }: Answered): number | undefined {
  const code = pointer(jsonOrUndefined(body) ?? null, '/error');
  return typeof code === 'number' ? code : undefined;
}

/** An answer that is none, in a few words: `answered 404 and a web page: Not Found`. */
export function saying({ status, body }: Answered): string {
  const told = errorText(body);
  const what = isWebPage(body) ? `${status} and a web page` : String(status);
  return `answered ${what}${told === '' ? '' : `: ${told}`}`;
}

const mostWaits = 8;
const longestWaitMs = 120_000;
const firstWaitMs = 5_000;

/**
 * Asks again while the server says "too many requests" (429, the API's 6001: 300 a minute): such a request did nothing. After two
 * minutes the answer is given as it is.
 */
export async function toPatient(clock: Clock, send: () => Promise<HttpResult>): Promise<HttpResult> {
  let waitedMs = 0;
  for (let tries = 0; ; tries += 1) {
    const answer = await send();
    if (answer.is !== 'answered' || answer.status !== 429 || tries >= mostWaits) return answer;
    const waitMs = retryAfterMs(answer.headers, clock.nowMs()) ?? firstWaitMs * 2 ** Math.min(tries, 3);
    if (waitedMs + waitMs > longestWaitMs) return answer;
    waitedMs += waitMs;
    await clock.sleep(waitMs);
  }
}
