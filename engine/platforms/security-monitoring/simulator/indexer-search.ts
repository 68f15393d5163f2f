import { addDocument } from './documents.js';
import { matchesPattern } from '../../../simulator/pattern.js';
import { matchesQuery } from './indexer-query.js';
import { bodyOf, error, hitsOf, isRecord, ok, type IndexerAsk, type IndexerRoute } from './indexer-answer.js';
import { jsonAnswer, type HttpResponse } from './management-answer.js';

/** Finding documents, and writing one: what proves that events flow. */
export const searchRoutes: readonly IndexerRoute[] = [
  { methods: ['GET', 'POST'], path: /^(?:\/([^/]+))?\/_search$/, handle: search },
  { methods: ['GET', 'POST'], path: /^(?:\/([^/]+))?\/_count$/, handle: count },
  {
    methods: ['POST'],
    path: /^(?:\/([^/]+))?\/_refresh$/,
    handle: () => ok({ _shards: { total: 1, successful: 1, failed: 0 } }),
  },
  { methods: ['POST'], path: /^\/([^/_][^/]*)\/_doc$/, handle: write },
  { methods: ['GET', 'HEAD'], path: /^\/([^/_][^/]*)$/, handle: index },
  { methods: ['DELETE'], path: /^\/([^/_][^/]*)$/, handle: removeIndex },
];

interface Found {
  readonly _index: string;
  readonly _id: string;
  readonly _source: unknown;
}

const chosenBy = (ask: IndexerAsk) => {
  const pattern = ask.params[0] ?? '_all';
  return Object.entries(ask.state.cluster.indices).filter(([name]) => matchesPattern(name, pattern));
};

/** Matching documents, or an answer that says why there are none to be had. */
function find(ask: IndexerAsk): Found[] | HttpResponse {
  const body = bodyOf(ask);
  if (!isRecord(body)) return error(400, 'parsing_exception', 'Failed to parse the request');
  const pattern = ask.params[0] ?? '_all';
  const chosen = chosenBy(ask);
  if (chosen.length === 0 && !pattern.includes('*') && pattern !== '_all')
    return error(404, 'index_not_found_exception', `no such index [${pattern}]`);
  const query = ask.query['q'] === undefined ? body['query'] : { query_string: { query: ask.query['q'] } };
  return chosen.flatMap(([name, i]) =>
    Object.entries(i.documents).flatMap(([id, text]) => {
      const source = JSON.parse(text) as unknown;
      return matchesQuery(source, query, ask.atMs) ? [{ _index: name, _id: id, _source: source }] : [];
    }),
  );
}

function search(ask: IndexerAsk): HttpResponse {
  const found = find(ask);
  if (!Array.isArray(found)) return found;
  const body = bodyOf(ask) as Record<string, unknown>;
  const size = Number(ask.query['size'] ?? body['size'] ?? 10);
  const page = found.slice(0, size).map((f) => ({ ...f, _score: 1 }));
  return hitsOf(page, found.length, found.length === 0 ? null : 1);
}

function count(ask: IndexerAsk): HttpResponse {
  const found = find(ask);
  if (!Array.isArray(found)) return found;
  const total = chosenBy(ask).length;
  return ok({ count: found.length, _shards: { total, successful: total, skipped: 0, failed: 0 } });
}

function write(ask: IndexerAsk): HttpResponse {
  const body = bodyOf(ask);
  const name = ask.params[0] ?? '';
  if (!isRecord(body)) return error(400, 'mapper_parsing_exception', 'failed to parse');
  if (!addDocument(ask.state, name, body))
    return error(503, 'unavailable_shards_exception', `[${name}] primary shard is not active`);
  return jsonAnswer(201, { _index: name, result: 'created' });
}

function index(ask: IndexerAsk): HttpResponse {
  const name = ask.params[0] ?? '';
  const found = ask.state.cluster.indices[name];
  return found === undefined
    ? error(404, 'index_not_found_exception', `no such index [${name}]`)
    : ok({ [name]: { aliases: {}, settings: { index: { uuid: found.uuid } } } });
}

function removeIndex(ask: IndexerAsk): HttpResponse {
  const name = ask.params[0] ?? '';
  if (ask.state.cluster.indices[name] === undefined)
    return error(404, 'index_not_found_exception', `no such index [${name}]`);
  Reflect.deleteProperty(ask.state.cluster.indices, name);
  return ok({ acknowledged: true });
}
