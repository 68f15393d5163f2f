import { setTimeout as pause } from 'node:timers/promises';
import { count } from '../../lib/count.js';
import { WebhookCalls, type WebhookCall } from '../../report/webhook-calls.js';
import type { Recorded } from '../../terms/event.js';
import type { Webhook } from '../../terms/inventory.js';
import { isObject, type Json } from '../../terms/json.js';
import type { Secrets } from '../../terms/machine.js';

const LIMIT_MS = 5000;

export interface Webhooks {
  readonly on: (recorded: Recorded) => void;
  /** A person is asked something that is no step. */
  readonly waiting: (question: string) => void;
  /** Waits for what is still to be sent, at most as long as one call may take; the rest is given up, and reported. */
  close(): Promise<void>;
}

/** Calls the webhooks of an inventory, each in the order of the events. One that fails is reported once and never stops a run. */
export function openWebhooks(
  webhooks: readonly Webhook[],
  secrets: Pick<Secrets, 'value' | 'redact'>,
  say: (text: string) => void,
  limitMs = LIMIT_MS,
): Webhooks {
  const calls = new WebhookCalls();
  const queues = webhooks.map((webhook) => ({ webhook, sent: Promise.resolve(), left: 0, failed: false }));
  // A request that is still open would keep the process alive after the end of its run.
  const closing = new AbortController();
  const isOver = (): boolean => closing.signal.aborted;
  const send = async (queue: (typeof queues)[number], call: WebhookCall): Promise<void> => {
    if (isOver()) return;
    const problem = await post(queue.webhook, call, secrets, { limitMs, signal: closing.signal });
    if (isOver()) return;
    queue.left -= 1;
    if (problem === undefined || queue.failed) return;
    queue.failed = true;
    say(`Warning: webhook "${queue.webhook.name}": ${secrets.redact(problem)}. The run continues.`);
  };
  const queueUp = (call: WebhookCall): void => {
    for (const queue of queues.filter(({ webhook }) => webhook.on.has(call.event))) {
      queue.left += 1;
      queue.sent = queue.sent.then(() => send(queue, call));
    }
  };
  return {
    on: (recorded) => calls.take(recorded).forEach(queueUp),
    waiting: (question) => queueUp(calls.waiting(question)),
    close: async () => {
      await Promise.race([Promise.all(queues.map(({ sent }) => sent)), pause(limitMs, undefined, { ref: false })]);
      closing.abort();
      for (const { webhook, left } of queues)
        if (left > 0)
          say(`Warning: webhook "${webhook.name}": ${count(left, 'call')} did not arrive before the run ended.`);
    },
  };
}

interface Limits {
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/** Why it failed; undefined where it was taken. */
async function post(
  { url, body }: Webhook,
  call: WebhookCall,
  secrets: Pick<Secrets, 'value' | 'redact'>,
  { limitMs, signal }: Limits,
): Promise<string | undefined> {
  const address = typeof url === 'string' ? ({ is: 'value', value: url } as const) : await secrets.value(url.secret);
  if (address.is === 'failed') return address.reason;
  if (!URL.canParse(address.value)) return 'its secret holds no address';
  const { request } = await import('undici');
  try {
    const answer = await request(address.value, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(filled(body, call, secrets)),
      signal: AbortSignal.any([signal, AbortSignal.timeout(limitMs)]),
    });
    await answer.body.dump();
    const { statusCode } = answer;
    if (statusCode < 300) return undefined;
    return statusCode < 400 ? `it redirects (status ${statusCode}), which is not followed` : `status ${statusCode}`;
  } catch (error) {
    const { name, message } = error as Error;
    return name === 'TimeoutError' ? `no answer within ${limitMs / 1000} s` : message;
  }
}

/** The body with the names in its texts replaced: data, never templated again, and without secrets. */
function filled(json: Json, call: WebhookCall, secrets: Pick<Secrets, 'redact'>): Json {
  if (typeof json === 'string')
    return json.replace(/\{\{ *(\w+) *\}\}/g, (_all, name: string) =>
      secrets.redact(Object.hasOwn(call, name) ? call[name as keyof WebhookCall] : ''),
    );
  if (Array.isArray(json)) return json.map((each) => filled(each as Json, call, secrets));
  if (!isObject(json)) return json;
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, filled(value, call, secrets)]));
}
