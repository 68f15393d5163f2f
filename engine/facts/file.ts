import { sha256 } from '../lib/hash.js';
import { quoteOne } from '../lib/quote.js';
import type { Answer } from '../terms/fact.js';
import { answer, decode, denied, failure, saysAbsent, unreadable } from './answer.js';
import type { HostFact, ProbeOutput } from './kind.js';

export type FileType = 'file' | 'directory' | 'link' | 'other';

/** What stands at a path. Follows no link: a link says where it points. */
export type FileState =
  | { readonly exists: false }
  | {
      readonly exists: true;
      readonly type: FileType;
      readonly owner: string;
      readonly group: string;
      /** `0640` */
      readonly mode: string;
      readonly sizeBytes: number;
      /** Of a file; absent otherwise. */
      readonly sha256?: string;
      /** Of a link. */
      readonly target?: string;
      /** Last change of content or attributes (ctime), milliseconds since the epoch. */
      readonly changedAtMs: number;
    };

/** A directory as root creates it by default. */
export const newDirectory = (changedAtMs: number): Extract<FileState, { exists: true }> => ({
  exists: true,
  type: 'directory',
  owner: 'root',
  group: 'root',
  mode: '0755',
  sizeBytes: 4096,
  changedAtMs,
});

/** The text of a file, or null when there is none; to a limit. Follows links, as whoever reads the file does. */
export type FileContent = {
  readonly text: string;
  readonly encoding: 'utf8' | 'latin1';
  readonly sha256: string;
} | null;

/** Every file below a path (or the file itself, as `.`), by relative path, sorted; null when nothing is there. */
export type FileTree =
  | readonly {
      readonly path: string;
      readonly type: FileType;
      readonly mode: string;
      readonly owner: string;
      readonly group: string;
      readonly sha256?: string;
      readonly target?: string;
    }[]
  | null;

const MIB = 1024 * 1024;

export const file: HostFact<string, FileState> = {
  name: 'file',
  key: (path) => path,
  sh: (path) => `p=${quoteOne(path)}
stat -c '%f %s %.3Z %u %g %U %G' -- "$p" 2>&1 || exit 1
if [ -L "$p" ]; then readlink -n -- "$p" || exit 2
elif [ -f "$p" ]; then sha256sum 2>&1 <"$p" || exit 2; fi`,
  parse: ({ exit, stdout }, path) => {
    if (exit !== 0) return saysAbsent(stdout) ? answer<FileState>({ exists: false }) : failure(stdout);
    const line = stdout.slice(0, stdout.indexOf('\n'));
    const rest = decode(stdout.slice(line.length + 1)).text;
    const [raw = '', size, changed, uid = '', gid = '', owner = '', group = ''] = line.split(' ');
    const bits = parseInt(raw, 16);
    const type = typeOfBits(bits);
    if (Number.isNaN(bits)) return unreadable(`stat said of ${path}: ${line}`);
    return answer<FileState>({
      exists: true,
      type,
      owner: nameOr(owner, uid),
      group: nameOr(group, gid),
      mode: (bits & 0o7777).toString(8).padStart(4, '0'),
      sizeBytes: Number(size),
      ...(type === 'file' ? { sha256: rest.slice(0, 64) } : {}),
      ...(type === 'link' ? { target: rest } : {}),
      changedAtMs: Math.round(Number(changed) * 1000),
    });
  },
};

const contentUpTo = (name: string, limitMiB: number, hint: string): HostFact<string, FileContent> => ({
  name,
  key: (path) => path,
  sh: (path) => `p=${quoteOne(path)}
if [ -f "$p" ]; then [ -r "$p" ] || exit 13; head -c ${limitMiB * MIB + 1} <"$p" || exit 5
elif [ -d "$p" ]; then exit 21
elif [ -e "$p" ]; then exit 22
else stat -L -c %n -- "$p" 2>&1; exit 3; fi`,
  parse: ({ exit, stdout }, path) => {
    if (exit === 3) return saysAbsent(stdout) ? answer<FileContent>(null) : failure(stdout);
    if (exit === 13) return denied(`${path} may not be read`);
    if (exit === 21) return unreadable(`${path} is a directory, not a file`);
    if (exit === 22) return unreadable(`${path} is no regular file`);
    if (exit !== 0) return unreadable(`${path} could not be read to its end`);
    if (stdout.length > limitMiB * MIB) return unreadable(`${path} is larger than ${limitMiB} MiB`, hint);
    return answer<FileContent>({ ...decode(stdout), sha256: sha256(Buffer.from(stdout, 'latin1')) });
  },
});

export const content = contentUpTo('content', 8, 'a file that large is not edited as text');

/** The same of a file that is sent on as it is: at most 32 MiB. */
export const largeContent = contentUpTo('large-content', 32, 'a file that large is not sent over HTTP');

export const tree: HostFact<string, FileTree> = {
  name: 'tree',
  key: (path) => path,
  // Two lists, each record ended by NUL for any byte may be in a name; an empty record between the lists.
  sh: (path) => `p=${quoteOne(trimmed(path))}
stat -c %n -- "$p" 2>&1 >/dev/null || exit 3
find "$p" -printf '%y %m %u %g %P\\0%l\\0' || exit 1
printf '\\0'
find "$p" -type f -exec sha256sum -z -- {} + || exit 1`,
  parse: parseTree,
};

function parseTree({ exit, stdout }: ProbeOutput, path: string): Answer {
  if (exit === 3) return saysAbsent(stdout) ? answer<FileTree>(null) : failure(stdout);
  if (exit !== 0) return unreadable(`not all of ${path} could be read`);
  const records = stdout.split('\0').map((r) => decode(r).text);
  const between = records.findIndex((r, i) => i % 2 === 0 && r === '');
  const root = trimmed(path);
  const hashes = new Map(
    records
      .slice(between + 1)
      .filter((r) => r !== '')
      .map((r) => [relative(root, r.slice(66)), r.slice(0, 64)] as const),
  );
  const found = [];
  for (let i = 0; i < between; i += 2) {
    const [, kind = '', mode = '', owner = '', group = '', name = ''] =
      /^(\S) (\S+) (\S+) (\S+) (.*)$/s.exec(records[i] ?? '') ?? [];
    const type = typeOfLetter[kind] ?? 'other';
    const hash = hashes.get(name);
    // The directory itself is not below itself.
    if (name === '' && type === 'directory') continue;
    found.push({
      path: name === '' ? '.' : name,
      type,
      mode: mode.padStart(4, '0'),
      owner,
      group,
      ...(type === 'file' && hash !== undefined ? { sha256: hash } : {}),
      ...(type === 'link' ? { target: records[i + 1] ?? '' } : {}),
    });
  }
  return answer<FileTree>(found.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)));
}

/** As find's `%y` has them. */
const typeOfLetter: Readonly<Record<string, FileType>> = { f: 'file', d: 'directory', l: 'link' };

function typeOfBits(bits: number): FileType {
  const kinds: Readonly<Record<number, FileType>> = { 0x8000: 'file', 0x4000: 'directory', 0xa000: 'link' };
  return kinds[bits & 0xf000] ?? 'other';
}

const nameOr = (name: string, id: string): string => (name === '' || name === 'UNKNOWN' ? id : name);
const trimmed = (path: string): string => path.replace(/(?<=.)\/+$/, '');
const relative = (root: string, path: string): string => path.slice(root.length).replace(/^\//, '');
