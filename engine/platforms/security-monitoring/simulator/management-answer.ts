import type { HttpAsk as Asked, HttpResponse } from '../../../simulator/rules.js';

export type { HttpResponse };

export interface HttpAsk extends Asked {
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

export const jsonAnswer = (status: number, value: unknown): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: JSON.stringify(value),
});

export const textAnswer = (status: number, body: string): HttpResponse => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body,
});

/** The API's error form: title, detail and, where it has one, its own code. */
export const problem = (status: number, title: string, detail: string, error?: number): HttpResponse =>
  jsonAnswer(status, { title, detail, ...(error === undefined ? {} : { error }) });

export const unauthorized = (detail: string): HttpResponse => problem(401, 'Unauthorized', detail);

/** The value of a header whatever the case of its name. */
export function headerOf(headers: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
}

/** User and password of an `Authorization: Basic` header; undefined when there is none or it is damaged. */
export function basicOf(headers: Readonly<Record<string, string>>): { user: string; password: string } | undefined {
  const encoded = /^Basic\s+(\S+)$/i.exec(headerOf(headers, 'authorization') ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** The list form of every answer: `error` 0 when nothing failed, 1 when everything did, 2 for a part. */
export function listAnswer(list: {
  readonly items: readonly unknown[];
  readonly total: number;
  readonly failed?: readonly Failed[];
  readonly message: string;
}): HttpResponse {
  const failed = list.failed ?? [];
  const failures = failed.reduce((sum, f) => sum + f.id.length, 0);
  return jsonAnswer(200, {
    data: {
      affected_items: list.items,
      total_affected_items: list.total,
      total_failed_items: failures,
      failed_items: failed,
    },
    message: list.message,
    error: failures === 0 ? 0 : list.total === 0 ? 1 : 2,
  });
}

/** Agents that failed for one and the same reason. */
export interface Failed {
  readonly error: { readonly code: number; readonly message: string };
  readonly id: readonly string[];
}
