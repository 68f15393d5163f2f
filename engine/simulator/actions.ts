import { readFile } from 'node:fs/promises';
import { isUtf8 } from 'node:buffer';
import { posix } from 'node:path';
import { sha256 } from '../lib/hash.js';
import { unpackArchive } from './archive.js';
import { bytesOf, copyEntry, entryAt, hashOf, moveEntry, putFile, removeEntry } from './files.js';
import { resolveLink } from './links.js';
import type { HostState, SimulatedState } from './state.js';
import type { Action, Outcome, Ownership } from '../terms/action.js';
import { showText } from '../terms/secret.js';

export type FileAction = Exclude<Action, { do: 'run' | 'job' | 'request' | 'ask' }>;

const applied: Outcome = { is: 'applied' };
const refused = (found: string): Outcome => ({ is: 'refused', by: 'precondition', found });

/** Performs an action on a model host's files, with the refusals of a real one. */
export async function performOnFiles(state: SimulatedState, host: HostState, action: FileAction): Promise<Outcome> {
  switch (action.do) {
    case 'write':
      return write(state, host, action);
    case 'upload':
      return upload(state, host, action);
    case 'directory':
      return directory(state, host, action);
    case 'attributes':
      if (entryAt(host, action.path) === undefined) return refused(`there is no ${action.path}`);
      return own(state, host, action.path, action);
    case 'link':
      if (entryAt(host, action.path)?.type === 'directory') return refused(`${action.path} is a directory`);
      return place(state, host, action.path, { type: 'link', text: action.target, mode: '0777' });
    case 'copy':
    case 'move':
      return copyOrMove(state, host, action);
    case 'remove':
      if (action.tree !== true && host.files[action.path]?.type === 'directory')
        return refused(`${action.path} is a directory`);
      removeEntry(host, action.path);
      return applied;
    case 'extract':
      return extract(state, host, action);
  }
}

function write(state: SimulatedState, host: HostState, action: Extract<Action, { do: 'write' }>): Outcome {
  const path = resolveLink(host, action.path);
  const now = entryAt(host, path);
  if (now?.type === 'directory') return refused(`${action.path} is a directory`);
  const found = now === undefined ? 'nothing' : hashOf(now);
  if (action.replaces !== 'anything' && action.replaces !== found)
    return refused(`${action.path} is no longer what it was: ${found}`);
  return place(state, host, path, {
    text: showText(action.content),
    encoding: action.encoding ?? 'utf8',
    ...ownership(action),
  });
}

async function upload(
  state: SimulatedState,
  host: HostState,
  action: Extract<Action, { do: 'upload' }>,
): Promise<Outcome> {
  const bytes = await readFile(action.source).catch(() => undefined);
  if (bytes === undefined) return { is: 'refused', by: 'machine', found: `${action.source} is not on the controller` };
  if (sha256(bytes) !== action.sha256) return refused('the file did not arrive whole');
  const text = isUtf8(bytes)
    ? { text: bytes.toString('utf8'), encoding: 'utf8' as const }
    : { text: bytes.toString('latin1'), encoding: 'latin1' as const };
  return place(state, host, resolveLink(host, action.path), { ...text, ...ownership(action) });
}

function place(state: SimulatedState, host: HostState, path: string, file: Parameters<typeof putFile>[2]): Outcome {
  const parent = posix.dirname(path);
  if (entryAt(host, parent)?.type !== 'directory') return refused(`there is no directory ${parent}`);
  putFile(host, path, file, state.nowMs);
  reloadDue(host, path);
  return applied;
}

/** A unit file that changed on disk is not what the service manager knows. */
function reloadDue(host: HostState, path: string): void {
  const unit = /\/systemd\/system\/([^/]+)\.service(?:\.d\/|$)/.exec(path)?.[1];
  const entry = unit === undefined ? undefined : host.services[unit];
  if (entry !== undefined) entry.needsReload = true;
}

function directory(state: SimulatedState, host: HostState, action: Extract<Action, { do: 'directory' }>): Outcome {
  const now = entryAt(host, action.path);
  if (now !== undefined && now.type !== 'directory') return refused(`${action.path} is there and no directory`);
  if (now === undefined) putFile(host, action.path, { type: 'directory', ...ownership(action) }, state.nowMs);
  return own(state, host, action.path, action);
}

function own(state: SimulatedState, host: HostState, path: string, wanted: Ownership): Outcome {
  const entry = host.files[path];
  const changes = Object.entries(ownership(wanted)).some(([key, value]) => entry?.[key as 'owner'] !== value);
  if (entry !== undefined && changes) host.files[path] = { ...entry, ...ownership(wanted), changedAtMs: state.nowMs };
  return applied;
}

function copyOrMove(state: SimulatedState, host: HostState, action: Extract<Action, { do: 'copy' | 'move' }>): Outcome {
  if (entryAt(host, action.from) === undefined) return refused(`there is no ${action.from}`);
  if (entryAt(host, action.to)?.type === 'directory') return refused(`${action.to} is there already`);
  if (entryAt(host, posix.dirname(action.to))?.type !== 'directory')
    return refused(`there is no directory ${posix.dirname(action.to)}`);
  if (action.do === 'copy') copyEntry(host, resolveLink(host, action.from), action.to, state.nowMs);
  else moveEntry(host, action.from, action.to, state.nowMs);
  return applied;
}

function extract(state: SimulatedState, host: HostState, action: Extract<Action, { do: 'extract' }>): Outcome {
  const entry = host.files[action.archive];
  if (entry?.type !== 'file') return refused(`there is no archive ${action.archive}`);
  const members = unpackArchive(bytesOf(entry));
  if (members === undefined)
    return {
      is: 'ended',
      exit: 2,
      stdout: '',
      stderr: 'gzip: stdin: not in gzip format\ntar: Error is not recoverable: exiting now\n',
    };
  for (const member of members) {
    const name = member.path
      .replace(/\/+$/, '')
      .split('/')
      .slice(action.stripComponents ?? 0)
      .join('/');
    if (name === '' || name === '.') continue;
    const path = posix.join(action.into, name);
    if (member.type === 'directory')
      putFile(host, path, { type: 'directory', mode: member.mode }, entryAt(host, path)?.changedAtMs ?? state.nowMs);
    else if (member.type === 'link') putFile(host, path, { type: 'link', text: member.target ?? '' }, state.nowMs);
    else putFile(host, path, { text: member.bytes.toString('utf8'), mode: member.mode }, state.nowMs);
  }
  return applied;
}

const ownership = ({ owner, group, mode }: Ownership): { owner?: string; group?: string; mode?: string } => ({
  ...(owner === undefined ? {} : { owner }),
  ...(group === undefined ? {} : { group }),
  ...(mode === undefined ? {} : { mode: mode.padStart(4, '0') }),
});
