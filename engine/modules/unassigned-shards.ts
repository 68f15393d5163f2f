import { http } from '../facts/http.js';
import { blocked, ok, type Verdict } from '../terms/change.js';
import { need } from '../terms/fact.js';
import { isObject, type Json } from '../terms/json.js';
import { defineModule } from '../terms/module.js';
import { readable } from './http-answer.js';
import { textOf } from './text-of.js';

/** Mirrors schemas/modules/unassigned-shards.schema.json. This module knows the indexer's table of shards (§2.4, §4.2). */
interface Args {
  readonly endpoint: string;
}

const SHARDS = '/_cat/shards?format=json&h=index,shard,prirep,state,node';
const HEALTH = '/_cluster/health';
const SHOWN = 5;

export const unassignedShards = defineModule<Args>()({
  name: 'unassigned-shards',
  summary: 'Refuse shards without a node, but for replicas that no node could take.',
  onlyLooks: true,
  needs: ({ endpoint }) => ({
    shards: need({ endpoint }, http, { path: SHARDS }),
    health: need({ endpoint }, http, { path: HEALTH }),
  }),
  touches: () => [],
  decide({ endpoint }, now) {
    const shards = readable(now.shards, { endpoint, call: `GET ${SHARDS}` });
    if (!('status' in shards)) return shards;
    const health = readable(now.health, { endpoint, call: `GET ${HEALTH}` });
    if (!('status' in health)) return health;
    if (shards.status !== 200 || health.status !== 200 || !Array.isArray(shards.json) || !isObject(health.json))
      return blocked(
        `${endpoint} answers ${shards.status} and ${health.status} when asked for its shards and its health`,
      );
    return judge((shards.json as readonly Json[]).flatMap(rowOf), health.json);
  },
});

interface Row {
  readonly name: string;
  readonly isReplica: boolean;
  readonly state: string;
}

const rowOf = (row: Json): readonly Row[] =>
  isObject(row)
    ? [
        {
          name: `${textOf(row['index'])} ${textOf(row['shard'])}`,
          isReplica: row['prirep'] === 'r',
          state: textOf(row['state']),
        },
      ]
    : [];

function judge(rows: readonly Row[], health: Readonly<Record<string, Json>>): Verdict {
  const status = textOf(health['status']);
  const open = rows.filter((r) => r.state !== 'STARTED' && r.state !== 'RELOCATING');
  if (open.length === 0 && status === 'green') return ok('every shard has its node', { unplaceable: 0, shards: '' });
  const nodes = Number(health['number_of_data_nodes'] ?? 0);
  const started = (name: string): number => rows.filter((r) => r.name === name && r.state === 'STARTED').length;
  const wrong = open.filter((r) => !r.isReplica || r.state !== 'UNASSIGNED' || started(r.name) < nodes);
  const first = wrong[0];
  if (first !== undefined || status !== 'yellow')
    return blocked(
      first === undefined
        ? `the indexer cluster is ${status}`
        : `the indexer cluster is ${status}: ${named(wrong)} ${wrong.length === 1 ? 'has' : 'have'} no started copy where one could be`,
      'every node must report green before the upgrade (§3); look at GET /_cluster/allocation/explain',
    );
  return ok(`${open.length} replicas can be on no node: each of the ${nodes} has a copy already`, {
    unplaceable: open.length,
    shards: named(open),
  });
}

function named(rows: readonly Row[]): string {
  const names = [...new Set(rows.map((r) => `${r.isReplica ? 'replica' : 'primary'} of ${r.name}`))];
  return names.slice(0, SHOWN).join(', ') + (names.length > SHOWN ? ` and ${names.length - SHOWN} more` : '');
}
