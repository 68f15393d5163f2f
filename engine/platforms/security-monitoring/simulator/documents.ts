import { dataHosts, oldestEngine } from './cluster.js';
import { versionNumber } from './packages/release.js';
import { matchesPattern } from '../../../simulator/pattern.js';
import { chance, nextSerial } from '../../../simulator/timers.js';
import type { IndexState, PlatformState } from './state.js';

export interface NewIndex {
  readonly shards: number;
  readonly replicas: number;
}

/** Makes an index on the nodes that are there, its copies started at once; the name must be free. */
export function createIndex(state: PlatformState, name: string, wanted: NewIndex): IndexState {
  const hosts = dataHosts(state);
  const first = chance(name, Math.max(1, hosts.length));
  const index: IndexState = {
    uuid: `${name}-${nextSerial(state)}`,
    createdVersion: versionNumber(oldestEngine(state)),
    replicas: wanted.replicas,
    documents: {},
    shards: Array.from({ length: wanted.shards }, (_, number) => {
      const copies = Array.from({ length: 1 + wanted.replicas }, (_unused, n) => {
        const host = n < hosts.length ? (hosts[(first + number + n) % hosts.length] ?? null) : null;
        return {
          host,
          primary: n === 0,
          state: host === null ? ('UNASSIGNED' as const) : ('STARTED' as const),
          sinceMs: state.nowMs,
        };
      });
      return { copies, inSync: copies.flatMap((c) => (c.host === null ? [] : [c.host])) };
    }),
  };
  state.cluster.indices[name] = index;
  return index;
}

/**
 * Writes a document, making its index by the templates when needed. False when it was not taken: no elected node, or its shard
 * has no primary. A copy that was not there misses the write and is no longer in sync.
 */
export function addDocument(state: PlatformState, indexName: string, source: unknown): boolean {
  if (state.cluster.elected === null || !state.cluster.securityInitialised) return false;
  const index = state.cluster.indices[indexName] ?? createIndex(state, indexName, shapeOf(state, indexName));
  const id = `d${nextSerial(state)}`;
  const shard = index.shards[chance(id, index.shards.length)];
  if (shard?.copies.find((c) => c.primary)?.state !== 'STARTED') return false;
  shard.inSync = shard.copies.flatMap((c) => (c.state === 'STARTED' && c.host !== null ? [c.host] : []));
  index.documents[id] = JSON.stringify(source);
  return true;
}

/** Rewrites an index in place, as the security tool does with its own. */
export function touchIndex(state: PlatformState, indexName: string): void {
  for (const shard of state.cluster.indices[indexName]?.shards ?? []) {
    shard.inSync = shard.copies.flatMap((c) => (c.state === 'STARTED' && c.host !== null ? [c.host] : []));
  }
}

function shapeOf(state: PlatformState, indexName: string): NewIndex {
  for (const text of Object.values(state.cluster.templates)) {
    const template = JSON.parse(text) as { index_patterns?: string[]; settings?: Record<string, unknown> };
    if (template.index_patterns?.some((p) => matchesPattern(indexName, p)) !== true) continue;
    const read = (key: string): unknown =>
      template.settings?.[`index.${key}`] ??
      template.settings?.[key] ??
      (template.settings?.['index'] as Record<string, unknown> | undefined)?.[key];
    return { shards: Number(read('number_of_shards') ?? 1), replicas: Number(read('number_of_replicas') ?? 1) };
  }
  return { shards: 1, replicas: 1 };
}
