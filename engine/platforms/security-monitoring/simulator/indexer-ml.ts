import { error, hitsOf, isRecord, noHandler, type IndexerAsk, type IndexerRoute } from './indexer-answer.js';
import type { HttpResponse } from './management-answer.js';
import type { MlDocument } from './state.js';

/** The searches of the ML Commons plug-in (§9.3.7), which also find the parts of large models unless the query excludes them. */
export const mlRoutes: readonly IndexerRoute[] = [
  { methods: ['GET', 'POST'], path: /^\/_plugins\/_ml\/(models|agents)\/_search$/, handle: search },
];

function search(ask: IndexerAsk): HttpResponse {
  const plugin = ask.state.cluster.mlCommons;
  if (plugin === null) return noHandler(ask);
  const body = bodyOf(ask);
  if (body === undefined) return error(400, 'parse_exception', 'request body or source parameter is required');
  const from = Number(body['from'] ?? 0);
  const size = Number(body['size'] ?? 10);
  if (from + size > WINDOW)
    return error(
      400,
      'illegal_argument_exception',
      `Result window is too large, from + size must be less than or equal to: [${WINDOW}] but was [${from + size}]`,
    );
  const all = plugin[ask.params[0] === 'models' ? 'models' : 'agents'];
  const found = leavesOutChunks(body['query']) ? all.filter((d) => d.chunk === undefined) : all;
  return hitsOf(found.slice(from, from + size).map(hitOf), found.length, null);
}

/** The index's `max_result_window`. */
const WINDOW = 10_000;

const hitOf = ({ id, name, chunk }: MlDocument): unknown => ({
  _index: '.plugins-ml-model',
  _id: id,
  _score: null,
  _source: { name, ...(chunk === undefined ? {} : { chunk_number: chunk }) },
});

/** The search as the body, or as `source` in the address, which wants its type beside it. */
function bodyOf({ body, query }: IndexerAsk): Record<string, unknown> | undefined {
  const text = body === '' && query['source_content_type'] === 'application/json' ? (query['source'] ?? '') : body;
  try {
    const value = JSON.parse(text) as unknown;
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const leavesOutChunks = (query: unknown): boolean =>
  JSON.stringify(query ?? {}).includes('"must_not":{"exists":{"field":"chunk_number"}}');
