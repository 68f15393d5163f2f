import { md5, sha256 } from '../lib/hash.js';
import { decode } from './answer.js';
import type { FileContent } from './file.js';
import { scriptsOn, type ScriptsOn } from './package-scripts.js';

/** What a version has at a path. Owner and mode are known only for an RPM. */
export interface Default {
  readonly sha256: string;
  /** Null where it is larger than 1 MiB, or could not be taken out. */
  readonly content: FileContent;
  readonly sizeBytes: number;
  /** `kept`: one that was changed stays, and this goes beside it. `replaced`: an RPM's that puts a changed one aside. */
  readonly config: 'kept' | 'replaced' | 'no';
  readonly as?: { readonly owner: string; readonly group: string; readonly mode: string };
}

/** One path before a package is upgraded: what would be brought, and what of the installed version stands there. */
export interface Brought {
  /** Null: the new version has nothing there. */
  readonly next: Default | null;
  /** What the path is to the installed version: configuration, any file, or nothing. */
  readonly was: 'config' | 'file' | 'nothing';
  /** Does the installed version's own text stand there, and is the new version's the same? */
  readonly untouched: boolean;
  readonly sameDefault: boolean;
  /** SHA-256 of what stands there; null when no file does. */
  readonly found: string | null;
  /** What the scripts of both versions, and packages that wait for it, may do to it. */
  readonly scripts: ScriptsOn;
}

export const LARGEST_BYTES = 1_048_576;

/** What the probe printed, as lines `WORD TEXT`. */
export interface Printed {
  readonly manager: 'dpkg' | 'rpm';
  readonly name: string;
  readonly lines: readonly string[];
}

/** Undefined: it cannot be judged (a link, an obsolete configuration file, one that was not taken out). */
export function readBrought(printed: Printed, path: string): Brought | undefined {
  const { name, manager } = printed;
  if (all(printed, 'other').includes(path)) return undefined;
  const isWoken = all(printed, 'woken').some(
    (w) => w === name || w === path || (w.startsWith('/') && path.startsWith(w)),
  );
  const scripts: ScriptsOn = isWoken
    ? { is: 'content' }
    : scriptsOn(
        all(printed, 'script').map((s) => Buffer.from(s, 'base64').toString('latin1')),
        path,
      );
  const [found = '', md = ''] =
    all(printed, 'found')
      .find((l) => l.endsWith(` ${path}`))
      ?.split(' ') ?? [];
  const read = (manager === 'rpm' ? ofRpm : ofDpkg)(printed, path, { sha256: found, md5: md });
  return read === undefined ? undefined : { ...read, found: found === '' ? null : found, scripts };
}

type Judged = Omit<Brought, 'found' | 'scripts'>;
interface Digests {
  readonly sha256: string;
  readonly md5: string;
}

const all = ({ lines }: Printed, word: string): readonly string[] =>
  lines.flatMap((l) => (l.startsWith(`${word} `) ? [l.slice(word.length + 1)] : []));

/** What was said of a path: the line's rest. */
const saidOf = (printed: Printed, word: string, path: string, mark = ' '): string | undefined =>
  all(printed, word)
    .find((l) => l.startsWith(`${path}${mark}`))
    ?.slice(path.length + 1);

function ofDpkg(printed: Printed, path: string, found: Digests): Judged | undefined {
  const recorded = saidOf(printed, 'was', path);
  const conffiles = all(printed, 'conffile');
  // An obsolete one, or one that the new version takes away, has rules of its own.
  if (recorded?.includes(' ') === true || conffiles.some((l) => l.endsWith(` ${path}`))) return undefined;
  const { status, bytes } = unpacked(printed, path);
  const isAbsent = status !== '0' && bytes.toString('latin1').includes('Not found in archive');
  if (status !== '0' && !isAbsent) return undefined;
  const isFile = all(printed, 'listed').includes(path);
  return {
    next: isAbsent ? null : { ...defaultOf(bytes), config: conffiles.includes(path) ? 'kept' : 'no' },
    was: recorded === undefined ? (isFile ? 'file' : 'nothing') : 'config',
    untouched: recorded !== undefined && recorded === found.md5,
    sameDefault: recorded !== undefined && !isAbsent && recorded === md5(bytes),
  };
}

/** Bits of an RPM's file flags. */
const [CONFIG, MISSING_OK, NO_REPLACE, GHOST] = [1, 8, 16, 64];
const REGULAR = 0o100000;

interface RpmFile {
  readonly digest: string;
  readonly algorithm: keyof Digests;
  readonly flags: number;
  readonly as: NonNullable<Default['as']>;
  readonly sizeBytes: number;
}

function ofRpm(printed: Printed, path: string, found: Digests): Judged | undefined {
  const [next, was] = [rpmFile(saidOf(printed, 'next', path, '|')), rpmFile(saidOf(printed, 'was', path, '|'))];
  if (next === 'other' || was === 'other') return undefined;
  // Digests of two kinds, as an old RPM's and a new one's are, cannot be compared.
  if (next !== null && was !== null && was.algorithm !== next.algorithm) return undefined;
  const { bytes } = unpacked(printed, path);
  const brought = next === null ? null : rpmDefault(next, bytes);
  if (brought === undefined) return undefined;
  return {
    next: brought,
    was: was === null ? 'nothing' : (was.flags & CONFIG) === 0 ? 'file' : 'config',
    untouched: was !== null && was.digest === found[was.algorithm],
    sameDefault: was !== null && was.digest === next?.digest,
  };
}

/** What was taken out counts when it is what the header says; without it an MD5 tells no SHA-256. */
function rpmDefault(file: RpmFile, bytes: Buffer): Default | undefined {
  const isWhole = (file.algorithm === 'md5' ? md5 : sha256)(bytes) === file.digest;
  if (!isWhole && file.algorithm === 'md5') return undefined;
  return {
    sha256: isWhole ? sha256(bytes) : file.digest,
    content: isWhole ? contentOf(bytes) : null,
    sizeBytes: file.sizeBytes,
    config: (file.flags & CONFIG) === 0 ? 'no' : (file.flags & NO_REPLACE) === 0 ? 'replaced' : 'kept',
    as: file.as,
  };
}

/** Null: it is none of the package's. `other`: a link, a directory, or a file that need not be there. */
function rpmFile(row: string | undefined): RpmFile | 'other' | null {
  if (row === undefined) return null;
  const [digest = '', algorithm = '', flagsText = '', owner = '', group = '', modeText = '', size = ''] =
    row.split('|');
  const [flags, mode] = [Number(flagsText), Number.parseInt(modeText, 8)];
  if ((mode & 0o170000) !== REGULAR || (flags & (MISSING_OK | GHOST)) !== 0) return 'other';
  if (!/^(?:8|1|\(none\))$/.test(algorithm)) return 'other';
  return {
    digest,
    algorithm: algorithm === '8' ? 'sha256' : 'md5',
    flags,
    as: { owner, group, mode: (mode & 0o7777).toString(8).padStart(4, '0') },
    sizeBytes: Number(size),
  };
}

/** Bytes that were extracted from the package, and the status of the extraction; none where it was not attempted, or where they are too many. */
function unpacked(printed: Printed, path: string): { readonly bytes: Buffer; readonly status: string } {
  const bytes = Buffer.from(saidOf(printed, 'text', path) ?? '', 'base64');
  const end = bytes.lastIndexOf('|');
  return end < 0 || end > LARGEST_BYTES
    ? { bytes: Buffer.alloc(0), status: '' }
    : { bytes: bytes.subarray(0, end), status: bytes.subarray(end + 1).toString('latin1') };
}

const contentOf = (bytes: Buffer): FileContent => ({ ...decode(bytes.toString('latin1')), sha256: sha256(bytes) });
const defaultOf = (bytes: Buffer): Omit<Default, 'config'> => ({
  sha256: sha256(bytes),
  content: contentOf(bytes),
  sizeBytes: bytes.length,
});
