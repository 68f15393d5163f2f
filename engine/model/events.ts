import { addDocument } from './documents.js';
import { putFile, textAt } from './files.js';
import { schedule } from './timers.js';
import type { HostState, PlatformState } from './state.js';
import { isUp } from './units.js';

const HEARTBEAT_MS = 5_000;
const CONNECTOR_EVERY = 12;
/** How much of the alert file the shipper has read, as its own registry has it. */
const REGISTRY = '/var/lib/filebeat/registry/offset';

/** Each running manager writes an alert of its own every few seconds; each running shipper carries what it finds. */
export function heartbeat(state: PlatformState): void {
  const beat = Math.round(state.nowMs / HEARTBEAT_MS);
  for (const host of Object.values(state.hosts)) {
    if (!host.roles.includes('server')) continue;
    if (isUp(host, state.names.manager.service)) {
      writeAlert(state, host, 'Manager heartbeat');
      takeTestEvents(state, host);
      // The connector writes to the indexer by itself: stopping the shipper does not stop every writer.
      if (beat % CONNECTOR_EVERY === 0)
        addDocument(state, 'platform-states-vulnerabilities', { host: host.name, '@timestamp': iso(state.nowMs) });
    }
    ship(state, host);
  }
  schedule(state, { atMs: state.nowMs + HEARTBEAT_MS, due: 'heartbeat' });
}

/** One line more in the manager's alert file. */
export function writeAlert(state: PlatformState, host: HostState, text: string): void {
  const path = state.names.manager.alerts;
  const alert = {
    timestamp: iso(state.nowMs).replace('Z', '+0000'),
    rule: { level: 3, description: text, id: '502', groups: ['platform'] },
    agent: { id: '000', name: host.name },
    manager: { name: host.name },
    full_log: text,
    location: 'platform-monitord',
  };
  putFile(
    host,
    path,
    { text: `${textAt(host, path) ?? ''}${JSON.stringify(alert)}\n`, mode: '0640', group: state.names.manager.user },
    state.nowMs,
  );
}

/** Lines that somebody appended to the manager's queue become alerts. */
function takeTestEvents(state: PlatformState, host: HostState): void {
  const path = state.names.manager.test_events;
  const text = textAt(host, path) ?? '';
  if (text === '') return;
  for (const line of text.split('\n')) if (line !== '') writeAlert(state, host, line);
  putFile(host, path, { text: '' }, state.nowMs);
}

/** Carries the alert file's new lines into the indexer, as far as that takes them; the rest is carried later. */
export function ship(state: PlatformState, host: HostState): void {
  const service = host.services[state.names.shipper.service];
  if (service === undefined || !isUp(host, state.names.shipper.service) || state.nowMs < service.readyAtMs) return;
  const text = textAt(host, state.names.manager.alerts) ?? '';
  const from = Number(textAt(host, REGISTRY) ?? '0');
  let offset = from;
  for (let end = text.indexOf('\n', offset); end >= 0; end = text.indexOf('\n', offset)) {
    const alert = JSON.parse(text.slice(offset, end)) as Record<string, unknown>;
    const at = String(alert['timestamp']).replace('+0000', 'Z');
    const day = at.slice(0, 10).replaceAll('-', '.');
    const shipped = { ...alert, '@timestamp': at, host: { name: host.name } };
    if (!addDocument(state, `${state.names.shipper.index_prefix}${day}`, shipped)) break;
    offset = end + 1;
  }
  if (offset !== from) putFile(host, REGISTRY, { text: String(offset), mode: '0600' }, state.nowMs);
}

const iso = (ms: number): string => new Date(ms).toISOString();
