import { allocate } from './cluster.js';
import { bodyOf, error, isRecord, ok, type IndexerAsk, type IndexerRoute } from './indexer-answer.js';
import type { HttpResponse } from './management-answer.js';

/** `GET` and `PUT /_cluster/settings` (§4.2): nested unless `flat_settings=true`; a null takes a setting away. */
export const settingsRoutes: readonly IndexerRoute[] = [
  {
    methods: ['GET'],
    path: /^\/_cluster\/settings$/,
    handle: (ask) =>
      ok({
        persistent: shown(ask, ask.state.cluster.persistent),
        transient: shown(ask, ask.state.cluster.transient),
        ...(ask.query['include_defaults'] === 'true' ? { defaults: shown(ask, DEFAULTS) } : {}),
      }),
  },
  { methods: ['PUT'], path: /^\/_cluster\/settings$/, handle: putSettings },
];

/** Default values: of the many that the indexer has, the few that an upgrade reads. */
const DEFAULTS: Readonly<Record<string, string>> = {
  'cluster.max_shards_per_node': '1000',
  'cluster.routing.allocation.disk.threshold_enabled': 'true',
  'cluster.routing.allocation.disk.watermark.low': '85%',
  'cluster.routing.allocation.disk.watermark.high': '90%',
  'cluster.routing.allocation.disk.watermark.flood_stage': '95%',
};

const ALLOCATION = ['all', 'primaries', 'new_primaries', 'none'];

function putSettings(ask: IndexerAsk): HttpResponse {
  const body = bodyOf(ask);
  if (!isRecord(body)) return error(400, 'parse_exception', 'Failed to parse content to map');
  const wanted = { persistent: flat(body['persistent']), transient: flat(body['transient']) };
  if (wanted.persistent.size + wanted.transient.size === 0)
    return error(400, 'action_request_validation_exception', 'Validation Failed: 1: no settings to update;');
  for (const values of [wanted.persistent, wanted.transient]) {
    for (const [key, value] of values) {
      const wrong = refusal(key, value);
      if (wrong !== undefined) return error(400, 'illegal_argument_exception', wrong);
    }
  }
  const { cluster } = ask.state;
  put(cluster.persistent, wanted.persistent);
  put(cluster.transient, wanted.transient);
  allocate(ask.state);
  const now = (of: Record<string, string>, values: ReadonlyMap<string, string | null>): Record<string, string> =>
    Object.fromEntries(Object.entries(of).filter(([key]) => values.has(key)));
  return ok({
    acknowledged: true,
    persistent: shown(ask, now(cluster.persistent, wanted.persistent)),
    transient: shown(ask, now(cluster.transient, wanted.transient)),
  });
}

function refusal(key: string, value: string | null): string | undefined {
  if (!/^(cluster|indices|action|search|plugins|logger|compatibility|archived)\./.test(key)) {
    return `persistent setting [${key}], not recognized`;
  }
  if (key === 'cluster.routing.allocation.enable' && value !== null && !ALLOCATION.includes(value)) {
    return `Illegal allocation.enable value [${value.toUpperCase()}]`;
  }
  return undefined;
}

function put(into: Record<string, string>, values: ReadonlyMap<string, string | null>): void {
  for (const [key, value] of values) {
    if (value === null) Reflect.deleteProperty(into, key);
    else into[key] = value;
  }
}

/** Nested or dotted, or a mix: every leaf by its dotted name. Servers keep values as text. */
function flat(value: unknown, prefix = ''): Map<string, string | null> {
  const out = new Map<string, string | null>();
  if (!isRecord(value)) return out;
  for (const [key, v] of Object.entries(value)) {
    if (isRecord(v)) for (const [k, leaf] of flat(v, `${prefix}${key}.`)) out.set(k, leaf);
    else out.set(prefix + key, v === null ? null : typeof v === 'string' ? v : JSON.stringify(v));
  }
  return out;
}

function shown(ask: IndexerAsk, settings: Readonly<Record<string, string>>): unknown {
  if (ask.query['flat_settings'] === 'true' || ask.query['flat_settings'] === '') return { ...settings };
  const nested: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(settings)) {
    const path = key.split('.');
    const last = path.pop() ?? key;
    let at = nested;
    for (const part of path) at = (at[part] ??= {}) as Record<string, unknown>;
    at[last] = value;
  }
  return nested;
}
