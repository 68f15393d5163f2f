import { parse } from 'yaml';
import { jsonAnswer, type HttpResponse } from './management-answer.js';

/** An entry of the dashboard's own configuration for the management API. */
export interface ApiHost {
  readonly id: string;
  readonly url: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
}

/** What came of a try with an entry's user and password: nothing listens, or the management API's own answer. */
export type Tried = 'refused' | { readonly status: number; readonly body: string };

/** `hosts: [{default: {url, port, username, password, run_as}}]`. */
export function apiHostsIn(text: string): readonly ApiHost[] {
  const { hosts = [] } = (parse(text) ?? {}) as { hosts?: readonly Record<string, Omit<ApiHost, 'id'>>[] };
  return hosts.flatMap((entry) => Object.entries(entry).map(([id, host]) => ({ ...host, id })));
}

/** The list has everything but the passwords. */
export const listApiHosts = (hosts: readonly ApiHost[]): HttpResponse =>
  jsonAnswer(
    200,
    hosts.map(({ password: _, ...shown }) => shown),
  );

/** What the dashboard answers when it is asked to try one of its entries. */
export function answerOf(host: ApiHost | undefined, tried: Tried): HttpResponse {
  if (host === undefined) return failure(500, '3002 - Could not find API entry in the configuration');
  if (tried === 'refused') return jsonAnswer(200, { statusCode: 200, data: { apiIsDown: true } });
  if (/"error": *1017\b/.test(tried.body)) return failure(503, '3099 - ERROR3099 - Not ready yet');
  if (tried.status !== 200) return failure(tried.status, `3002 - Request failed with status code ${tried.status}`);
  return jsonAnswer(200, { statusCode: 200, data: { ...host, password: '****' }, idChanged: null });
}

const failure = (statusCode: number, message: string): HttpResponse =>
  jsonAnswer(statusCode, { statusCode, error: ERRORS[statusCode] ?? 'Internal Server Error', message });

const ERRORS: Readonly<Record<number, string>> = { 401: 'Unauthorized', 503: 'Service Unavailable' };
