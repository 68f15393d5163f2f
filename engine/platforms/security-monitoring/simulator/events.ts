import { dirname } from 'node:path/posix';
import { gzipSync } from 'node:zlib';
import { connectorWrites } from './connector.js';
import { addDocument } from './documents.js';
import { inodeOf, putFile, textAt } from '../../../simulator/files.js';
import { schedule } from '../../../simulator/timers.js';
import type { FileEntry, HostState, PlatformState } from './state.js';
import { isUp } from '../../../simulator/units.js';

const HEARTBEAT_MS = 5_000;
const CONNECTOR_EVERY = 12;
/** The default data directory of the shipper. */
const DATA = '/var/lib/filebeat';
/** How much of each file it has read, by its inode, and under what name it was read last: a name that leads elsewhere now is forgotten. */
type Registry = Record<string, { readonly source: string; readonly offset: number }>;

/** Each running manager writes an alert of its own every few seconds; each running shipper carries what it finds. */
export function heartbeat(state: PlatformState): void {
  const beat = Math.round(state.nowMs / HEARTBEAT_MS);
  for (const host of Object.values(state.hosts)) {
    if (!host.roles.includes('server')) continue;
    if (isUp(host, state.names.manager.service)) {
      writeAlert(state, host, 'Manager heartbeat');
      takeTestEvents(state, host);
      if (beat % CONNECTOR_EVERY === 0) connectorWrites(state, host);
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

/** An empty alert file, in place of the previous one. */
export function newAlertFile({ names }: Pick<PlatformState, 'names'>, host: HostState, atMs: number): FileEntry {
  const { alerts, user } = names.manager;
  putFile(host, alerts, { text: '', mode: '0640', owner: user, group: user }, atMs);
  return Object.assign(host.files[alerts] as FileEntry, { inode: atMs });
}

/** The day's file goes where the day is in its path, compressed at once; a second name of it stays what it is. */
function rotateAlerts(state: PlatformState, host: HostState): void {
  const { alerts } = state.names.manager;
  const file = host.files[alerts];
  const day = file === undefined ? '' : iso(file.changedAtMs).slice(0, 10);
  if (file === undefined || file.text === '' || day === iso(state.nowMs).slice(0, 10)) return;
  ship(state, host);
  const text = gzipSync(file.text).toString('latin1');
  putFile(host, `${rotatedName(alerts, file.changedAtMs)}.gz`, { text, encoding: 'latin1' }, file.changedAtMs);
  newAlertFile(state, host, state.nowMs);
}

/** `logs/alerts/2026/Nov/platform-alerts-22.json` */
export function rotatedName(alerts: string, atMs: number): string {
  const [, day = '', month = '', year = ''] = new Date(atMs).toUTCString().split(' ');
  return `${dirname(alerts)}/${year}/${month}/platform-alerts-${day}.json`;
}

/** Lines that were appended to the manager's queue become alerts. */
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
  shipFiles(state, host, [state.names.manager.alerts]);
}

/**
 * The same of several files, with a data directory of one's own. As the real one: of its registry it takes what was read under one of these
 * names, and forgets a file that is under its name no more.
 */
export function shipFiles(state: PlatformState, host: HostState, paths: readonly string[], data = DATA): void {
  const registry = `${data}/registry/filebeat/log.json`;
  const before = textAt(host, registry) ?? '{}';
  const known = JSON.parse(before) as Registry;
  const mine = Object.entries(known).filter(([, { source }]) => paths.includes(source));
  const read = new Map(
    paths.flatMap((path) => {
      const file = host.files[path];
      if (file === undefined) return [];
      const inode = String(inodeOf(file));
      const from = mine.find(([each]) => each === inode)?.[1].offset ?? 0;
      return [[inode, { source: path, offset: shipLines(state, host, file, from) }] as const];
    }),
  );
  const others = Object.entries(known).filter(([, { source }]) => !paths.includes(source));
  const after = JSON.stringify(Object.fromEntries([...others, ...read]));
  if (after !== before) putFile(host, registry, { text: after, mode: '0600' }, state.nowMs);
}

/** Where it is then: at the file's last whole line, or where the indexer takes no more. */
function shipLines(state: PlatformState, host: HostState, file: FileEntry, from: number): number {
  let offset = from;
  for (let end = file.text.indexOf('\n', offset); end >= 0; end = file.text.indexOf('\n', offset)) {
    const alert = JSON.parse(file.text.slice(offset, end)) as Record<string, unknown>;
    const at = String(alert['timestamp']).replace('+0000', 'Z');
    const day = at.slice(0, 10).replaceAll('-', '.');
    const shipped = { ...alert, '@timestamp': at, host: { name: host.name } };
    if (!addDocument(state, `${state.names.shipper.index_prefix}${day}`, shipped)) break;
    offset = end + 1;
  }
  return offset;
}

const iso = (ms: number): string => new Date(ms).toISOString();
