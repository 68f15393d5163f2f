import type { HttpAnswer } from '../../../../facts/http.js';
import { compareDeb } from '../../../../lib/version.js';
import { isObject, type Json } from '../../../../terms/json.js';
import { textOf } from '../../../../modules/shared/text-of.js';

/** A copy of a shard. */
export interface Row {
  readonly name: string;
  readonly isReplica: boolean;
  readonly state: string;
  readonly node: string;
  readonly reason: string;
}

export const NODES = '/_cat/nodes?format=json&h=name,version,node.role';
export const SETTINGS = '/_cluster/settings?flat_settings=true';
const ENABLE = 'cluster.routing.allocation.enable';
/** The cluster tried, and gave up: no upgrade explains that. */
const GAVE_UP = 'ALLOCATION_FAILED';

export interface Answers {
  readonly nodes: HttpAnswer;
  readonly settings: HttpAnswer;
}

/** What a rolling upgrade may have left. */
export interface Roll extends Answers {
  /** A node that the upgrade stopped is not back yet. */
  readonly isNodeAway: boolean;
}

/**
 * Which shards have no node because of a rolling upgrade alone: their node was stopped by it, it holds allocation on `primaries`, or every
 * node without a copy is older than the primary's and could not read what that writes.
 */
export function explainedByRoll(rows: readonly Row[], { nodes, settings, isNodeAway }: Roll): (row: Row) => boolean {
  const isHeld =
    ['transient', 'persistent'].map((kind) => settingOf(settings, kind)).find((v) => v !== undefined) === 'primaries';
  const table = nodesOf(nodes);
  return (row) => {
    if (row.state === 'INITIALIZING') return isNodeAway;
    if (row.reason === GAVE_UP) return false;
    if (isNodeAway && row.reason === 'NODE_LEFT') return true;
    if (!row.isReplica) return false;
    const copies = rows.filter((r) => r.name === row.name);
    const primary = copies.find((r) => !r.isReplica && r.state === 'STARTED');
    if (primary === undefined) return false;
    const version = table.find(({ name }) => name === primary.node)?.version ?? '';
    const free = table.filter(({ name }) => copies.every(({ node }) => node !== name));
    return isHeld || (free.length > 0 && free.every((node) => compareDeb(node.version, version) < 0));
  };
}

function settingOf(answer: HttpAnswer, kind: string): Json | undefined {
  const all = answer.is === 'answered' && isObject(answer.json) ? answer.json[kind] : undefined;
  return isObject(all) ? all[ENABLE] : undefined;
}

/** The nodes that take data. */
const nodesOf = (answer: HttpAnswer): readonly { readonly name: string; readonly version: string }[] =>
  (answer.is === 'answered' && Array.isArray(answer.json) ? (answer.json as readonly Json[]) : [])
    .filter(isObject)
    .filter((node) => textOf(node['node.role'] ?? 'd').includes('d'))
    .map((node) => ({ name: textOf(node['name']), version: textOf(node['version']) }));
