import { http, type HttpAnswer } from '../../../../facts/http.js';
import { blocked, ok, type Verdict } from '../../../../terms/change.js';
import { need } from '../../../../terms/fact.js';
import { isObject, type Json, type JsonObject } from '../../../../terms/json.js';
import { defineModule } from '../../../../terms/module.js';
import { readable } from '../../../../modules/shared/http-answer.js';
import type { Args } from './schema.js';

const PATH =
  '/_cluster/state/nodes,metadata,routing_table?filter_path=nodes.*.name,metadata.indices.*.in_sync_allocations,routing_table.indices.*.shards';
const SHOWN = 10;

export const shardCopies = defineModule<Args>()({
  name: 'shard-copies',
  onlyLooks: true,
  needs: (args) => ({ state: need({ endpoint: args.endpoint }, http, { path: PATH }) }),
  touches: () => [],
  decide: ({ endpoint, without }, { state }) => judge(endpoint, without, state),
});

function judge(endpoint: string, without: string, answer: HttpAnswer): Verdict {
  const answered = readable(answer, { endpoint, call: 'GET /_cluster/state' });
  if (answered.is !== 'answered') return answered;
  if (answered.status !== 200 || !isObject(answered.json))
    return blocked(`${endpoint} answers ${answered.status} when asked for its cluster state`);
  const indices = aloneOn(answered.json, without);
  if (indices === undefined)
    return blocked(
      `the cluster has no node called "${without}"`,
      'the variable node_name of a host is what its node is called in GET /_cat/nodes?h=name',
    );
  if (indices.length === 0) return ok(`every index has an in-sync copy besides that on ${without}`, { indices });
  const shown = indices.slice(0, SHOWN).join(', ');
  const more = indices.length > SHOWN ? ` and ${indices.length - SHOWN} more` : '';
  return ok(
    `${indices.length} ${indices.length === 1 ? 'index has' : 'indices have'} no in-sync copy but on ${without}`,
    { indices },
    [
      {
        text: `${without} has the only in-sync copy of ${shown}${more}: red until it is back`,
        hint: 'accept that these indices are unavailable meanwhile, or add a replica',
      },
    ],
  );
}

/** The indices of which some shard's in-sync copies all stand on the node, sorted; undefined when there is no such node. */
function aloneOn(state: JsonObject, node: string): readonly string[] | undefined {
  const id = Object.entries(objectAt(state, 'nodes')).find(([, n]) => isObject(n) && n['name'] === node)?.[0];
  if (id === undefined) return undefined;
  const metadata = objectAt(state, 'metadata', 'indices');
  return Object.entries(objectAt(state, 'routing_table', 'indices'))
    .filter(([index, routing]) => {
      const inSync = objectAt(metadata[index], 'in_sync_allocations');
      return Object.entries(objectAt(routing, 'shards')).some(([shard, copies]) => {
        const here = listOf(copies).flatMap((c) =>
          isObject(c) && c['node'] === id && c['state'] === 'STARTED' ? [objectAt(c, 'allocation_id')['id']] : [],
        );
        return here.length > 0 && listOf(inSync[shard]).every((allocation) => here.includes(allocation));
      });
    })
    .map(([index]) => index)
    .sort();
}

const listOf = (json: Json | undefined): readonly Json[] => (Array.isArray(json) ? (json as readonly Json[]) : []);

function objectAt(json: Json | undefined, ...path: readonly string[]): JsonObject {
  let at: Json | undefined = json;
  for (const key of path) at = at !== undefined && isObject(at) ? at[key] : undefined;
  return at !== undefined && isObject(at) ? at : {};
}
