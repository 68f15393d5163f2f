import { dirname } from 'node:path/posix';
import { addDocument } from './documents.js';
import { inodeOf, putFile, textAt } from './files.js';
import { schedule } from './timers.js';
import type { FileEntry, HostState, PlatformState } from './state.js';
import { isUp } from './units.js';

const HEARTBEAT_MS = 5_000;
const CONNECTOR_EVERY = 12;
/** How much of each alert file the shipper has read, as its own registry has it. */
const REGISTRY = '/var/lib/filebeat/registry/offsets';

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

/** One line more in the manager's alert file, which was moved away first when it is of another day: a shipper that runs has read it by then. */
export function writeAlert(state: PlatformState, host: HostState, text: string): void {
  const alert = {
    timestamp: iso(state.nowMs).replace('Z', '+0000'),
    rule: { level: 3, description: text, id: '502', groups: ['platform'] },
    agent: { id: '000', name: host.name },
    manager: { name: host.name },
    full_log: text,
    location: 'platform-monitord',
  };
  rotateAlerts(state, host);
  const file = host.files[state.names.manager.alerts] ?? newAlertFile(state, host, state.nowMs);
  file.text += `${JSON.stringify(alert)}\n`;
  file.changedAtMs = state.nowMs;
}

/** An alert file that nobody has written to, in place of the one before. */
export function newAlertFile({ names }: Pick<PlatformState, 'names'>, host: HostState, atMs: number): FileEntry {
  const { alerts, user } = names.manager;
  putFile(host, alerts, { text: '', mode: '0640', owner: user, group: user }, atMs);
  return Object.assign(host.files[alerts] as FileEntry, { inode: atMs });
}

function rotateAlerts(state: PlatformState, host: HostState): void {
  const { alerts } = state.names.manager;
  const file = host.files[alerts];
  const day = file === undefined ? '' : iso(file.changedAtMs).slice(0, 10);
  if (file === undefined || file.text === '' || day === iso(state.nowMs).slice(0, 10)) return;
  ship(state, host);
  host.files[`${dirname(alerts)}/${day}.json`] = file;
  newAlertFile(state, host, state.nowMs);
}

/** Lines that somebody appended to the manager's queue become alerts. */
function takeTestEvents(state: PlatformState, host: HostState): void {
  const path = state.names.manager.test_events;
  const text = textAt(host, path) ?? '';
  if (text === '') return;
  for (const line of text.split('\n')) if (line !== '') writeAlert(state, host, line);
  putFile(host, path, { text: '' }, state.nowMs);
}

/** A running shipper carries the alert file's new lines into the indexer, as far as that takes them; the rest is carried later. */
export function ship(state: PlatformState, host: HostState): void {
  const service = host.services[state.names.shipper.service];
  if (service === undefined || !isUp(host, state.names.shipper.service) || state.nowMs < service.readyAtMs) return;
  shipFile(state, host, state.names.manager.alerts);
}

/** The same of one file, by whatever name: the shipper's registry knows it by its inode. */
export function shipFile(state: PlatformState, host: HostState, path: string): void {
  const file = host.files[path];
  if (file === undefined) return;
  const registry = JSON.parse(textAt(host, REGISTRY) ?? '{}') as Record<string, number>;
  const inode = inodeOf(file);
  const from = registry[inode] ?? 0;
  let offset = from;
  for (let end = file.text.indexOf('\n', offset); end >= 0; end = file.text.indexOf('\n', offset)) {
    const alert = JSON.parse(file.text.slice(offset, end)) as Record<string, unknown>;
    const at = String(alert['timestamp']).replace('+0000', 'Z');
    const day = at.slice(0, 10).replaceAll('-', '.');
    const shipped = { ...alert, '@timestamp': at, host: { name: host.name } };
    if (!addDocument(state, `${state.names.shipper.index_prefix}${day}`, shipped)) break;
    offset = end + 1;
  }
  if (offset !== from)
    putFile(host, REGISTRY, { text: JSON.stringify({ ...registry, [inode]: offset }), mode: '0600' }, state.nowMs);
}

const iso = (ms: number): string => new Date(ms).toISOString();
