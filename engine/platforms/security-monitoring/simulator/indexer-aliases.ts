import { matchesPattern } from '../../../simulator/pattern.js';
import { bodyOf, error, isRecord, ok, type IndexerAsk, type IndexerRoute } from './indexer-answer.js';
import type { HttpResponse } from './management-answer.js';
import { pointAlias } from './saved-indices.js';

/** Aliases listed, and moved; indices removed, by patterns too: all actions of a call, or none (§9.9). */
export const aliasRoutes: readonly IndexerRoute[] = [
  {
    methods: ['GET'],
    path: /^\/_cat\/aliases(?:\/([^/]+))?$/,
    handle: ({ state, params: [pattern] }) =>
      ok(
        Object.entries(state.cluster.aliases)
          .filter(([alias]) => pattern === undefined || matchesPattern(alias, pattern))
          .map(([alias, index]) => ({ alias, index })),
      ),
  },
  { methods: ['POST'], path: /^\/_aliases$/, handle: move },
];

function move(ask: IndexerAsk): HttpResponse {
  const { cluster } = ask.state;
  const body = bodyOf(ask);
  const actions = isRecord(body) && Array.isArray(body['actions']) ? (body['actions'] as unknown[]) : [];
  const next = { ...cluster.aliases };
  const removed: string[] = [];
  for (const action of actions) {
    const [[kind, of] = ['', {}]] = isRecord(action) ? Object.entries(action) : [];
    const { index, alias } = isRecord(of) ? (of as { index?: string; alias?: string }) : {};
    if (kind === 'remove_index' && index !== undefined) {
      const gone = Object.keys(cluster.indices).filter((name) => matchesPattern(name, index));
      if (gone.length === 0) return error(404, 'index_not_found_exception', `no such index [${index}]`);
      removed.push(...gone);
      continue;
    }
    if (index === undefined || alias === undefined)
      return error(400, 'illegal_argument_exception', 'each action has an index and an alias');
    if (cluster.indices[index] === undefined)
      return error(404, 'index_not_found_exception', `no such index [${index}]`);
    if (kind === 'remove' && next[alias] !== index)
      return error(404, 'aliases_not_found_exception', `aliases [${alias}] missing`);
    if (kind === 'remove') Reflect.deleteProperty(next, alias);
    else next[alias] = index;
  }
  for (const name of removed) Reflect.deleteProperty(cluster.indices, name);
  for (const [alias, index] of Object.entries(next)) pointAlias(ask.state, alias, index);
  return ok({ acknowledged: true });
}
