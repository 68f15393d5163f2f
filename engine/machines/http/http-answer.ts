import { errorText, isWebPage } from '../../lib/error-text.js';
import { retryAfterMs } from '../../lib/retry-after.js';
import type { Clock } from '../../terms/machine.js';
import type { HttpResult } from './http-client.js';

type Answered = Extract<HttpResult, { is: 'answered' }>;

/** An answer that is none, in a few words: `answered 404 and a web page: Not Found`. */
export function saying({ status, body }: Answered): string {
  const detail = errorText(body);
  const what = isWebPage(body) ? `${status} and a web page` : String(status);
  return `answered ${what}${detail === '' ? '' : `: ${detail}`}`;
}

const mostWaits = 8;
const longestWaitMs = 120_000;
const firstWaitMs = 5_000;

/**
 * Asks again while the server says "too many requests" (429): such a request did nothing. After two minutes the answer is
 * given as it is.
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
