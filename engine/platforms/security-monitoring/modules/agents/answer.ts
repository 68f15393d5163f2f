import { jsonOrUndefined } from '../../../../lib/json.js';
import type { Outcome } from '../../../../terms/action.js';
import { isObject, type Json } from '../../../../terms/json.js';
import type { ItemNote } from '../../../../terms/change.js';
import type { Judgement } from '../../../../terms/module.js';

/**
 * Codes that the management API gives an agent which it does not upgrade now. Any other is a failure with its own words. One that left
 * after it was listed (1707) is reported, and is no failure of the step.
 */
const CODES: Readonly<Record<number, ItemNote>> = {
  1822: { is: 'done', reason: 'already at that version or newer (1822)' },
  1820: { is: 'pending', reason: 'already upgrading (1820)' },
  1707: { is: 'left', reason: 'not active (1707)' },
  1818: { is: 'left', reason: 'not active (1818)' },
  1701: { is: 'failed', reason: 'no such agent (1701)' },
  1703: { is: 'failed', reason: 'the manager itself (1703)' },
};

const RETRY_MS = 5_000;
const LATER: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** The manager's daemons are not ready yet. */
const NOT_READY = 1017;

/**
 * Sorts the answer to `PUT /agents/upgrade` by agent. Accepted ones are pending: what `GET /agents` says of an agent's version
 * decides. Error 2 means "some", error 1 "none": both come with 200 and a list.
 */
export function itemsOf(outcome: Outcome): Judgement {
  if (outcome.is !== 'answered') return { is: 'done' };
  const body = jsonOrUndefined(outcome.body);
  const code = isObject(body) ? body['error'] : undefined;
  const data = isObject(body) ? body['data'] : undefined;
  if (LATER.has(outcome.status) || code === NOT_READY)
    return {
      is: 'failed',
      reason: `the management API is not ready: ${outcome.status} ${outcome.body.slice(0, 200)}`,
      retryAfterMs: RETRY_MS,
    };
  if (outcome.status !== 200 || !isObject(data)) return refusal(outcome.status, outcome.body, code);
  return { is: 'items', items: itemsIn(body) };
}

/** What became of each agent by the body of an answer; nothing when the body is none. */
function itemsIn(body: Json | undefined): Readonly<Record<string, ItemNote>> {
  const data = isObject(body) ? body['data'] : undefined;
  if (!isObject(data)) return {};
  const items: Record<string, ItemNote> = {};
  for (const item of list(data['affected_items']))
    if (isObject(item) && typeof item['agent'] === 'string')
      items[item['agent']] = { is: 'pending', ...taskOf(item['task_id']) };
  for (const failed of list(data['failed_items'])) {
    if (!isObject(failed)) continue;
    for (const id of list(failed['id'])) if (typeof id === 'string') items[id] = itemFor(failed['error']);
  }
  return items;
}

const taskOf = (id: Json | undefined): { value?: number } => (typeof id === 'number' ? { value: id } : {});

function refusal(status: number, body: string, code: Json | undefined): Judgement {
  const reason = `the request to upgrade agents was answered ${status}: ${body.slice(0, 300)}`;
  if (code === 1823) return { is: 'failed', reason, hint: 'an agent cannot become newer than the manager (§9.1)' };
  return { is: 'failed', reason };
}

function itemFor(error: Json | undefined): ItemNote {
  const code = isObject(error) && typeof error['code'] === 'number' ? error['code'] : 0;
  const message = isObject(error) && typeof error['message'] === 'string' ? error['message'] : 'no reason given';
  return noteOfCode(code, message);
}

/** What becomes of an agent that is refused with this code, by the API or by the tool. */
export const noteOfCode = (code: number, message: string): ItemNote =>
  CODES[code] ?? { is: 'failed', reason: `${message} (${code})` };

const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : []);
