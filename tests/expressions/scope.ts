import type { Scope } from '../../engine/expressions/at.js';
import type { Known } from '../../engine/terms/fact.js';
import { isObject, type Json } from '../../engine/terms/json.js';

const HOSTS: Readonly<Record<string, Json>> = { 'indexer-1': '4.14.7-1', 'indexer-2': '4.12.0-1' };
const NAMES: Json = {
  installed: { indexer: '4.12.0-1', manager: null },
  platform: { target: '4.14.7' },
  vars: { node_name: 'indexer-1', limit: 3, empty: [], wanted: ['nine', 'eleven'] },
  fact: {
    unit: 'active',
    text: 'one\ntwo',
    shards: '0',
    long: 'one two three four five six seven eight nine ten',
    states: ['open', 'shut'],
    part: { status: 'yellow' },
    nodes: [
      { name: 'indexer-1', version: '2.19.4' },
      { name: 'indexer-2', version: '2.16.0' },
    ],
    health: { status: 'yellow', nodes: 2 },
    config: { shown: 'hunter22', password: 'hunter22', passwords: ['hunter22'], token: { value: 'hunter22' } },
  },
};

/** `unknown.X` is not known yet; versions are what `installed` and `platform.target` name. */
export const scope: Scope = {
  get(path, host): Known<Json> | 'missing' {
    if (path[0] === 'unknown')
      return { known: false, because: `known after "Step ${path[1] ?? ''}"`, dependsOn: [path[1] ?? ''] };
    if (host !== undefined && path.join('.') === 'installed.indexer')
      return { known: true, value: HOSTS[host] ?? null };
    let at: Json = NAMES;
    for (const key of path) {
      const next: Json | undefined = Array.isArray(at)
        ? (at as readonly Json[])[Number(key)]
        : isObject(at)
          ? at[key]
          : undefined;
      if (next === undefined) return 'missing';
      at = next;
    }
    return { known: true, value: at };
  },
  hosts: (_, name) => (name === 'indexer' ? Object.keys(HOSTS) : name === 'none' ? [] : undefined),
  check: (name, host) =>
    name === 'ready' ? { is: host !== 'indexer-2', because: `${name} on ${host ?? 'this host'}` } : undefined,
  typeOf: ([root, key]) => (root === 'installed' || (root === 'platform' && key === 'target') ? 'Version' : 'dyn'),
};
