import { inodeOf, putFile, textAt } from './files.js';
import type { HostState, SimulatedState, ServiceEntry } from './state.js';

const LINES_KEPT = 200;

/** Appends a line to a log, with the time; the oldest lines go. */
export function writeLog(state: SimulatedState, host: HostState, path: string, line: string): void {
  const lines = (textAt(host, path) ?? '').split('\n').filter((l) => l !== '');
  const stamped = `${new Date(state.nowMs).toISOString().slice(0, 19).replace('T', ' ')} ${line}`;
  const before = host.files[path];
  putFile(host, path, { text: `${[...lines, stamped].slice(-LINES_KEPT).join('\n')}\n` }, state.nowMs);
  Object.assign(host.files[path] ?? {}, { inode: before === undefined ? state.nowMs : inodeOf(before) });
}

/** A line in a unit's journal, as the service manager keeps it. */
export function writeJournal(state: SimulatedState, host: HostState, entry: ServiceEntry, line: string): void {
  entry.journal = [...entry.journal, `${new Date(state.nowMs).toISOString()} ${host.name} ${line}`].slice(-50);
}
