import { jsonAnswer, type HttpAsk, type HttpResponse } from './management-answer.js';
import type { HostState, PlatformState } from './state.js';

export interface IndexerAsk extends HttpAsk {
  readonly state: PlatformState;
  /** Whose node is asked. */
  readonly host: HostState;
  /** Hosts whose nodes it sees. */
  readonly nodes: readonly string[];
  /** What the path's pattern caught. */
  readonly params: readonly (string | undefined)[];
}

export interface IndexerRoute {
  readonly methods: readonly string[];
  readonly path: RegExp;
  readonly needsElected?: boolean;
  handle(ask: IndexerAsk): HttpResponse;
}

export const ok = (value: unknown, status = 200): HttpResponse => jsonAnswer(status, value);

/** A page of what a search found, of `total` in all. */
export const hitsOf = (page: readonly unknown[], total: number, maxScore: number | null): HttpResponse =>
  ok({
    took: 2,
    timed_out: false,
    _shards: { total: 1, successful: 1, skipped: 0, failed: 0 },
    hits: { total: { value: total, relation: 'eq' }, max_score: maxScore, hits: page },
  });

/** The engine's error form. */
export function error(status: number, type: string, reason: string): HttpResponse {
  const cause = { type, reason };
  return jsonAnswer(status, { error: { root_cause: [cause], ...cause }, status });
}

/** What is said to the address of a plug-in that is not there. */
export const noHandler = ({ method, path }: HttpAsk): HttpResponse =>
  jsonAnswer(400, { error: `no handler found for uri [${path}] and method [${method}]` });

/** A request's body as JSON; undefined when it is none. */
export function bodyOf(ask: HttpAsk): unknown {
  try {
    return ask.body === '' ? {} : (JSON.parse(ask.body) as unknown);
  } catch {
    return undefined;
  }
}

export const isRecord = (v: unknown): v is Record<string, unknown> =>
  typeof v === 'object' && v !== null && !Array.isArray(v);

/** The name of a host's node. */
export const serving = (state: PlatformState, host: HostState): string =>
  state.cluster.nodes[host.name]?.name ?? host.name;
