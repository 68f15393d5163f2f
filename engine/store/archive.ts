import { gunzipSync, gzipSync } from 'node:zlib';
import { packTar, unpackTar } from 'modern-tar';
import { showBytes } from '../lib/bytes.js';
import { sha256 } from '../lib/hash.js';
import { joinLines, wholeLines } from '../lib/lines.js';
import { isObject, type Json } from '../terms/json.js';
import type { RunSource } from './copy.js';
import { isBlobName, isIntact, isName, JOURNAL } from './run-store.js';

const MANIFEST = 'manifest.json';
const FORMAT = 'runbook-run';
const FORMAT_VERSION = 1;

/** What an archive may hold unpacked, bytes: a run has 1 to 20 MB. */
export const MOST_BYTES = 512 * 2 ** 20;

/** The first member of an archive. */
interface Manifest {
  readonly format: typeof FORMAT;
  readonly version: typeof FORMAT_VERSION;
  /** The version of the program that wrote it. */
  readonly runbook: string;
  readonly run: string;
  /** SHA-256 of each other member, by its name in the run's folder. */
  readonly members: Readonly<Record<string, string>>;
}

/** A run that was read from an archive: intact as far as the archive can say. */
export interface ArchivedRun {
  readonly run: string;
  /** The version of the program that wrote it. */
  readonly program: string;
  readonly source: RunSource;
}

/** What is wrong with an archive, to be read after its name. */
export interface ArchiveMistake {
  readonly mistake: string;
}

/** Members by their names in the run's folder. */
type Members = ReadonlyMap<string, Buffer>;

/** One run as a compressed tar, with its name as the folder: the same run is always the same bytes. */
export async function archiveOf(from: RunSource, run: string, program: string): Promise<Buffer | ArchiveMistake> {
  // Lines first: the large texts that they refer to are there by then.
  const members = new Map([[JOURNAL, joinLines(await from.read(run, 0))]]);
  for (const { name } of await from.listBlobs(run)) {
    const bytes = await from.getBlob(run, name);
    if (bytes !== undefined) members.set(name, bytes);
  }
  const hashes = Object.fromEntries([...members].map(([name, bytes]) => [name, sha256(bytes)]));
  const manifest: Manifest = { format: FORMAT, version: FORMAT_VERSION, runbook: program, run, members: hashes };
  const all = [[MANIFEST, Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)] as const, ...members];
  const tar = await packTar(
    all.map(([name, body]) => ({
      header: { name: `${run}/${name}`, size: body.length, mode: 0o600, mtime: new Date(0) },
      body,
    })),
  );
  return tar.length > MOST_BYTES ? { mistake: tooLarge(MOST_BYTES) } : gzipSync(tar);
}

/** Reads an archive and checks all of it. */
export async function openArchive(bytes: Buffer, mostBytes = MOST_BYTES): Promise<ArchivedRun | ArchiveMistake> {
  const tar = unzip(bytes, mostBytes);
  if ('mistake' in tar) return tar;
  const entries = await entriesIn(tar);
  if ('mistake' in entries) return entries;
  const manifest = manifestIn(entries);
  if ('mistake' in manifest) return manifest;
  const members = membersIn(entries, manifest);
  if ('mistake' in members) return members;
  return { run: manifest.run, program: manifest.runbook, source: sourceOf(members) };
}

const GZIP = 0x1f8b;

function unzip(bytes: Buffer, mostBytes: number): Buffer | ArchiveMistake {
  if (bytes.length < 2 || bytes.readUInt16BE() !== GZIP) return { mistake: NO_EXPORT };
  try {
    return gunzipSync(bytes, { maxOutputLength: mostBytes });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE') return { mistake: tooLarge(mostBytes) };
    return { mistake: code === 'Z_BUF_ERROR' ? 'is truncated: its end is missing' : `is damaged: ${message}` };
  }
}

const NO_EXPORT = 'is not an export of a run; runbook runs --export RUN -o FILE writes one';
const tooLarge = (bytes: number): string => `is too large: more than ${showBytes(bytes)} unpacked`;

interface Entry {
  readonly name: string;
  readonly isFile: boolean;
  readonly bytes: Buffer;
}

async function entriesIn(tar: Buffer): Promise<readonly Entry[] | ArchiveMistake> {
  try {
    const entries = await unpackTar(tar, { strict: true });
    return entries.map(({ header: { name, type }, data = new Uint8Array() }) => ({
      name,
      isFile: type === 'file',
      bytes: Buffer.from(data.buffer, data.byteOffset, data.length),
    }));
  } catch {
    return { mistake: NO_EXPORT };
  }
}

/** Its format goes before all else: one of another version may have other members. */
function manifestIn([first]: readonly Entry[]): Manifest | ArchiveMistake {
  const manifest = first?.name.endsWith(`/${MANIFEST}`) === true ? parse(first.bytes) : null;
  if (!isObject(manifest) || manifest['format'] !== FORMAT) return { mistake: NO_EXPORT };
  const { version, runbook, run, members } = manifest;
  if (version !== FORMAT_VERSION) {
    const writer = JSON.stringify(runbook ?? 'unknown');
    return {
      mistake: `has format ${JSON.stringify(version)} of runbook ${writer}; this version reads format ${FORMAT_VERSION}`,
    };
  }
  if (typeof run !== 'string' || !isName(run)) return { mistake: `has an invalid run id: ${JSON.stringify(run)}` };
  if (first?.name !== `${run}/${MANIFEST}` || typeof runbook !== 'string' || !isObject(members))
    return { mistake: 'is damaged: its manifest is not complete' };
  return manifest as unknown as Manifest;
}

function parse(bytes: Buffer): Json {
  try {
    return JSON.parse(bytes.toString('utf8')) as Json;
  } catch {
    return null;
  }
}

function membersIn([, ...entries]: readonly Entry[], { run, members: hashes }: Manifest): Members | ArchiveMistake {
  const members = new Map<string, Buffer>();
  const expected = new Map(Object.entries(hashes));
  for (const { name: path, isFile, bytes } of entries) {
    const name = path.startsWith(`${run}/`) ? path.slice(run.length + 1) : '';
    const shown = JSON.stringify(path);
    if (!isFile) return { mistake: `holds ${shown}, which is not a regular file` };
    if (name !== JOURNAL && !isBlobName(name)) return { mistake: `holds ${shown}, which is not a file of a run` };
    if (members.has(name)) return { mistake: `holds ${shown} twice` };
    if (expected.get(name) !== sha256(bytes) || !isIntact(name, bytes))
      return { mistake: `is damaged: ${shown} is not what was exported` };
    members.set(name, bytes);
  }
  const missing = [JOURNAL, ...expected.keys()].find((name) => !members.has(name));
  return missing === undefined ? members : { mistake: `is damaged: ${JSON.stringify(`${run}/${missing}`)} is missing` };
}

function sourceOf(members: Members): RunSource {
  const lines = wholeLines(members.get(JOURNAL) ?? Buffer.alloc(0));
  const blobs = new Map([...members].filter(([name]) => name !== JOURNAL));
  return {
    read: (_run, after) => Promise.resolve(lines.slice(after)),
    listBlobs: () => Promise.resolve([...blobs].map(([name, bytes]) => ({ name, sha256: sha256(bytes) }))),
    getBlob: (_run, name) => Promise.resolve(blobs.get(name)),
  };
}
