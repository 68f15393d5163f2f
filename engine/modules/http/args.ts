import { http as httpFact, type HttpAnswer } from '../../facts/http.js';
import type { Action } from '../../terms/action.js';
import type { Touch } from '../../terms/change.js';
import { need, type Need } from '../../terms/fact.js';
import type { Asking } from '../shared/http-answer.js';
import { timeLimitMs } from '../shared/time-limit.js';
import type { HttpArgs } from './schema.js';

const TIMEOUT_MS = 60_000;

/** A question, a state that is wanted, or a thing done: each is decided in its own way. */
export type Kind = 'reading' | 'state' | 'done';

export function kindOf({ method = 'GET', json, wanted, done }: HttpArgs): Kind {
  if (method === 'GET') return 'reading';
  if (done === true) return 'done';
  return wanted !== undefined || method === 'DELETE' || (method === 'PUT' && json !== undefined) ? 'state' : 'done';
}

/** The question that a reading asks, or that shows whether a state exists. */
export function questionOf(args: HttpArgs): Need<HttpAnswer> {
  const { endpoint, node, path, wanted, timeout } = args;
  const headers = plainHeaders(args) ?? {};
  return need({ endpoint, ...(node === undefined ? {} : { node }) }, httpFact, {
    path: wanted?.path ?? path,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    // Unless the step sets a timeout, the question is the same as that of a platform's fact, and asked once for both.
    ...(kindOf(args) === 'reading' && timeout !== undefined ? { timeoutMs: timeLimitMs(timeout, TIMEOUT_MS) } : {}),
  });
}

/** What it alters: the state it is read by, and all of the endpoint where its writer says so. */
export const touchesOf = (args: HttpArgs): readonly Touch[] => {
  const question = questionOf(args);
  return [
    ...(kindOf(args) === 'state' ? [question] : []),
    ...(args.changes === 'everything' ? [{ of: question.of, everything: true } as const] : []),
  ];
};

/** The headers, or undefined when one holds a secret: a question is kept in the journal as it is. */
export function plainHeaders({ headers = {} }: HttpArgs): Readonly<Record<string, string>> | undefined {
  const plain = Object.entries(headers).flatMap(([k, v]) => (typeof v === 'string' ? [[k, v] as const] : []));
  return plain.length === Object.keys(headers).length ? Object.fromEntries(plain) : undefined;
}

/** The statuses that count as success. */
export const statusOf = (args: HttpArgs): readonly number[] =>
  args.expect?.status ?? (kindOf(args) === 'reading' ? [200] : [200, 201, 202, 204]);

/** Who only asks need not wait as long as who is about to alter something. */
const READING_PATIENCE_MS = 120_000;

export const askingOf = (args: HttpArgs): Asking => ({
  endpoint: args.endpoint,
  call: `${args.method ?? 'GET'} ${args.path}`,
  ...(args.later === undefined ? {} : { later: args.later }),
  ...(kindOf(args) === 'reading' ? { patienceMs: READING_PATIENCE_MS } : {}),
});

/** The request that does it, with this body. */
export function requestOf(args: HttpArgs, json = args.json): Action {
  const { endpoint, node, method = 'GET', path, headers, expect, timeout } = args;
  return {
    do: 'request',
    request: {
      endpoint,
      method,
      path,
      timeoutMs: timeLimitMs(timeout, TIMEOUT_MS),
      ...(node === undefined ? {} : { node }),
      ...(headers === undefined ? {} : { headers }),
      ...(json === undefined ? {} : { json }),
    },
    expect: { status: statusOf(args), ...(expect?.at === undefined ? {} : { at: expect.at }) },
  };
}
