import { http, type HttpAnswer } from '../../../../facts/http.js';
import { blocked, ok, type Verdict } from '../../../../terms/change.js';
import { need } from '../../../../terms/fact.js';
import { isObject, type Json, type JsonObject } from '../../../../terms/json.js';
import { defineModule } from '../../../../terms/module.js';
import { readable } from '../../../../modules/shared/http-answer.js';
import { textOf } from '../../../../modules/shared/text-of.js';
import { isOver, type NodeDisk } from './watermark.js';
import type { Args } from './schema.js';

const SETTINGS = '/_cluster/settings?include_defaults=true&flat_settings=true';
const ALLOCATION = '/_cat/allocation?format=json&bytes=b&h=node,disk.used,disk.avail,disk.total';
const HEALTH = '/_cluster/health';

export const clusterLimits = defineModule<Args>()({
  name: 'cluster-limits',
  onlyLooks: true,
  needs: ({ endpoint }) => ({
    settings: need({ endpoint }, http, { path: SETTINGS }),
    allocation: need({ endpoint }, http, { path: ALLOCATION }),
    health: need({ endpoint }, http, { path: HEALTH }),
  }),
  touches: () => [],
  decide(args, now) {
    const answers: Json[] = [];
    for (const [path, answer] of [
      [SETTINGS, now.settings],
      [ALLOCATION, now.allocation],
      [HEALTH, now.health],
    ] as const) {
      const json = jsonOf(args.endpoint, path, answer);
      if ('verdict' in json) return json.verdict;
      answers.push(json.json);
    }
    const [settings = null, allocation = null, health = null] = answers;
    const read = (key: string): string | undefined => setting(settings, key);
    return byDisk(read, allocation) ?? byShards(args, read, health) ?? done(read, allocation, args, health);
  },
});

function jsonOf(
  endpoint: string,
  path: string,
  answer: HttpAnswer,
): { readonly json: Json } | { readonly verdict: Verdict } {
  const found = readable(answer, { endpoint, call: `GET ${path}` });
  if (!('status' in found)) return { verdict: found };
  return found.status === 200
    ? { json: found.json }
    : { verdict: blocked(`${endpoint} answers ${found.status} to GET ${path}`) };
}

/** As it counts: transient over persistent over default. */
function setting(settings: Json, key: string): string | undefined {
  for (const layer of ['transient', 'persistent', 'defaults']) {
    const values = isObject(settings) ? settings[layer] : undefined;
    const value = isObject(values) ? values[key] : undefined;
    if (typeof value === 'string' || typeof value === 'number') return String(value);
  }
  return undefined;
}

type Read = (key: string) => string | undefined;
const WATERMARK = 'cluster.routing.allocation.disk.watermark';

function disksOver(read: Read, allocation: Json, level: 'high' | 'flood_stage'): readonly NodeDisk[] {
  if (read('cluster.routing.allocation.disk.threshold_enabled') === 'false') return [];
  const mark = read(`${WATERMARK}.${level}`) ?? (level === 'high' ? '90%' : '95%');
  return nodesOf(allocation).filter((n) => isOver(n, mark));
}

const nodesOf = (allocation: Json): readonly NodeDisk[] =>
  (Array.isArray(allocation) ? (allocation as readonly Json[]) : []).flatMap((row) =>
    isObject(row) && row['disk.total'] !== null && row['disk.total'] !== undefined ? [diskOf(row)] : [],
  );
const diskOf = (row: JsonObject): NodeDisk => ({
  node: textOf(row['node']),
  availBytes: Number(row['disk.avail']),
  totalBytes: Number(row['disk.total']),
});

const named = (disks: readonly NodeDisk[]): string => disks.map((d) => `${d.node} (${used(d)} % used)`).join(', ');
const used = ({ availBytes, totalBytes }: NodeDisk): number => Math.round(100 * (1 - availBytes / totalBytes));

function byDisk(read: Read, allocation: Json): Verdict | undefined {
  const flooded = disksOver(read, allocation, 'flood_stage');
  if (flooded.length === 0) return undefined;
  return blocked(
    `the disk of ${named(flooded)} is over the flood-stage watermark: its indices take no writes`,
    `make room on its data directory; the mark is ${WATERMARK}.flood_stage`,
  );
}

/** Shards that are open against what all data nodes may hold, in percent. */
function fillOf(read: Read, health: Json): { readonly percent: number; readonly text: string; readonly nodes: number } {
  const count = (key: string): number => (isObject(health) ? Number(health[key] ?? 0) : 0);
  const shards = count('active_shards') + count('initializing_shards') + count('unassigned_shards');
  const nodes = count('number_of_data_nodes');
  const most = Number(read('cluster.max_shards_per_node') ?? '1000') * nodes;
  return { percent: (100 * shards) / Math.max(1, most), nodes, text: `${shards} of ${most} shards are in use` };
}

const LIMIT_HINT =
  'at the limit no index can be made, and the upgrade makes some: delete or close old indices, or raise cluster.max_shards_per_node';

function byShards({ shards_refuse = 98 }: Args, read: Read, health: Json): Verdict | undefined {
  const { percent, text } = fillOf(read, health);
  return percent >= shards_refuse ? blocked(`${text}: ${shards_refuse} % are too many`, LIMIT_HINT) : undefined;
}

function done(read: Read, allocation: Json, { shards_warn = 85 }: Args, health: Json): Verdict {
  const { percent, text, nodes } = fillOf(read, health);
  const high = disksOver(read, allocation, 'high');
  // While a node is away the others' limit is what counts.
  const away = nodes > 1 ? (percent * nodes) / (nodes - 1) : percent;
  return ok(text, null, [
    ...(high.length === 0
      ? []
      : [`the disk of ${named(high)} is over the high watermark: shards are moved away from it`]),
    ...(percent >= shards_warn || away >= 100
      ? [`${text}${nodes > 1 && away >= 100 ? ', too many for the limit while a node is away' : ''}: ${LIMIT_HINT}`]
      : []),
  ]);
}
