import { http, type HttpAnswer } from '../../../../facts/http.js';
import { blocked, ok, type Verdict } from '../../../../terms/change.js';
import { need } from '../../../../terms/fact.js';
import { isObject, type Json, type JsonObject } from '../../../../terms/json.js';
import { defineModule } from '../../../../terms/module.js';
import { readable } from '../../../../modules/shared/http-answer.js';
import { textOf } from '../../../../modules/shared/text-of.js';
import { explainedByRoll, NODES, SETTINGS, type Answers, type Roll, type Row } from './roll.js';
import type { Args } from './schema.js';

const SHARDS = '/_cat/shards?format=json&h=index,shard,prirep,state,node,unassigned.reason';
const HEALTH = '/_cluster/health';
const SHOWN = 5;
const WARN_AFTER_MS = 600_000;
/** Shards of many terabytes are on their way for long. */
const LIMIT_MS = 3_600_000;
/** So often in a row it must be seen that waiting is no use. */
const READINGS = 10;

export const unassignedShards = defineModule<Args>()({
  name: 'unassigned-shards',
  onlyLooks: true,
  conditions: ['accepted', 'rolling'],
  needs: ({ endpoint }) => ({
    shards: need({ endpoint }, http, { path: SHARDS }),
    health: need({ endpoint }, http, { path: HEALTH }),
  }),
  touches: () => [],
  decide(args, now, _at, more) {
    const seen = look(args.endpoint, now.shards, now.health);
    if ('is' in seen) return seen;
    if (args.state === 'awaited') return awaited(args, seen);
    if (args.rolling?.is === 'unknown') return waiting(args.rolling.because);
    if (args.rolling?.is !== true || seen.open.length === 0) return checked(seen);
    if (more === undefined) {
      const { endpoint } = args;
      const needs = {
        nodes: need({ endpoint }, http, { path: NODES }),
        settings: need({ endpoint }, http, { path: SETTINGS }),
      };
      return { is: 'more', needs };
    }
    return rolling(seen, {
      ...(more as unknown as Answers),
      isNodeAway: Number(seen.health['number_of_nodes'] ?? 0) < (args.nodes ?? 0),
    });
  },
});

/** What the cluster says of its shards. `wrong`: without a node where one could take them, or on their way. */
interface Seen {
  readonly status: string;
  readonly health: JsonObject;
  readonly dataNodes: number;
  readonly rows: readonly Row[];
  readonly open: readonly Row[];
  readonly wrong: readonly Row[];
  readonly isMoving: boolean;
}

function look(endpoint: string, shardsFound: HttpAnswer, healthFound: HttpAnswer): Seen | Verdict {
  const shards = readable(shardsFound, { endpoint, call: `GET ${SHARDS}` });
  if (shards.is !== 'answered') return shards;
  const health = readable(healthFound, { endpoint, call: `GET ${HEALTH}` });
  if (health.is !== 'answered') return health;
  if (shards.status !== 200 || health.status !== 200 || !Array.isArray(shards.json) || !isObject(health.json))
    return blocked(
      `${endpoint} answers ${shards.status} and ${health.status} when asked for its shards and its health`,
    );
  const table = health.json;
  const rows = (shards.json as readonly Json[]).flatMap(rowOf);
  const dataNodes = Number(table['number_of_data_nodes'] ?? 0);
  const started = (name: string): number => rows.filter((r) => r.name === name && r.state === 'STARTED').length;
  const open = rows.filter((r) => r.state !== 'STARTED' && r.state !== 'RELOCATING');
  return {
    status: textOf(table['status']),
    health: table,
    dataNodes,
    rows,
    open,
    wrong: open.filter((r) => !r.isReplica || r.state !== 'UNASSIGNED' || started(r.name) < dataNodes),
    isMoving:
      rows.some((r) => r.state === 'RELOCATING') ||
      ['initializing_shards', 'relocating_shards', 'delayed_unassigned_shards'].some(
        (key) => Number(table[key] ?? 0) > 0,
      ),
  };
}

const rowOf = (row: Json): readonly Row[] =>
  isObject(row)
    ? [
        {
          name: `${textOf(row['index'])} ${textOf(row['shard'])}`,
          isReplica: row['prirep'] === 'r',
          state: textOf(row['state']),
          node: textOf(row['node'] ?? ''),
          reason: textOf(row['unassigned.reason'] ?? ''),
        },
      ]
    : [];

function checked({ status, open, wrong, dataNodes }: Seen): Verdict {
  if (open.length === 0 && status === 'green') return ok('every shard has its node', { unplaceable: 0, shards: '' });
  if (wrong.length > 0 || status !== 'yellow')
    return blocked(
      wrong.length === 0
        ? `the indexer cluster is ${status}`
        : `the indexer cluster is ${status}: ${named(wrong)} ${wrong.length === 1 ? 'has' : 'have'} no started copy where one could be`,
      'every node must report green before the upgrade (§3); look at GET /_cluster/allocation/explain',
    );
  return ok(unplaceable(open, dataNodes), { unplaceable: open.length, shards: named(open) });
}

/** In the middle of a rolling upgrade: what only the upgrade itself leaves without a node is as it should be. */
function rolling(seen: Seen, roll: Roll): Verdict {
  if (!roll.isNodeAway && seen.isMoving) return waiting('shards are on their way');
  const isExplained = explainedByRoll(seen.rows, roll);
  const [wrong, open] = [seen.wrong, seen.open].map((rows) => rows.filter((row) => !isExplained(row)));
  const explained = seen.open.length - (open?.length ?? 0);
  if (explained === 0) return checked(seen);
  if (wrong?.length === 0 && open?.length === 0)
    return ok(
      `${explained} ${explained === 1 ? 'shard has' : 'shards have'} no node because of the upgrade in progress`,
      {
        unplaceable: 0,
        shards: '',
      },
    );
  return checked({ ...seen, wrong: wrong ?? [], open: open ?? [] });
}

const unplaceable = (open: readonly Row[], dataNodes: number): string =>
  `${open.length} ${open.length === 1 ? 'replica' : 'replicas'} can be on no node: each of the ${dataNodes} has a copy already`;

/** Green; or as near to it as a cluster comes whose replicas no node can take, where the operator accepted that (§9.3.6). */
function awaited({ nodes, accepted }: Args, seen: Seen): Verdict {
  const { status, health, open, wrong, dataNodes, isMoving } = seen;
  const there = Number(health['number_of_nodes'] ?? 0);
  if (nodes !== undefined && there !== nodes) return waiting(`${there} of ${nodes} nodes are in the cluster`);
  if (status === 'green' && open.length === 0) return ok('every shard has its node');
  if (status !== 'yellow' || wrong.length > 0 || isMoving || open.length === 0)
    return waiting(
      `the cluster is ${status}${wrong.length === 0 ? '' : `: ${named(wrong)}`}${isMoving ? ', and shards are on their way' : ''}`,
    );
  const because = unplaceable(open, dataNodes);
  if (accepted?.is === true) return ok(`${because}, which was accepted`);
  return { ...waiting(because), failFast: { because, readings: READINGS } };
}

const waiting = (what: string): Extract<Verdict, { is: 'waiting' }> => ({
  is: 'waiting',
  for: what,
  otherwiseMs: LIMIT_MS,
  failure: {
    reason: 'the cluster does not become green',
    hint: 'GET /_cluster/allocation/explain says which shard cannot be placed; a replica for which there is no node: fewer replicas (index.number_of_replicas), one node more, or -e accept_unassigned_replicas=true',
  },
  warn: {
    afterMs: WARN_AFTER_MS,
    text: 'still not green: shard reallocation is in progress, or a replica cannot be placed (GET /_cluster/allocation/explain)',
  },
});

function named(rows: readonly Row[]): string {
  const names = [...new Set(rows.map((r) => `${r.isReplica ? 'replica' : 'primary'} of ${r.name}`))];
  return names.slice(0, SHOWN).join(', ') + (names.length > SHOWN ? ` and ${names.length - SHOWN} more` : '');
}
