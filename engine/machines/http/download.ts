import { createHash } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { DownloadQuestion, DownloadState } from '../../facts/http.js';
import { MOST_OF, readFileWithin } from '../../lib/bounded-file.js';
import { sha256 } from '../../lib/hash.js';
import { jsonOrUndefined } from '../../lib/json.js';
import { withoutUserInfo } from '../../lib/user-info.js';
import { isObject, type Json } from '../../terms/json.js';
import { membersOf } from '../packages/archive-members.js';
import type { HttpClient, Streamed } from './http-client.js';
import type { Trust } from '../trust.js';

type Streaming = Extract<Streamed, { is: 'streaming' }>;
type Fetched = Extract<DownloadState, { is: 'fetched' }>;

const silenceLimitMs = 60_000;
const largestTextBytes = 1024 * 1024;
/** Far above the largest package; only a stream without an end is longer. */
const largestFileBytes = 8 * 1024 ** 3;

const failed = (reason: string, hint?: string): DownloadState => ({
  is: 'failed',
  reason,
  ...(hint === undefined ? {} : { hint }),
});

/** What is kept beside a file, to ask whether it is still the newest. */
interface Note {
  readonly etag: string;
  readonly lastModified: string;
  readonly contentType: string;
  readonly sha256: string;
  readonly sizeBytes: number;
}

/**
 * Fetches a file into the controller's cache and says what it is; whoever wants it judges that. A file that the server calls
 * unchanged is not fetched again. It stands under its final name only when it is whole.
 */
export async function download(
  client: HttpClient,
  cacheDir: string,
  { url: written, ca }: DownloadQuestion,
): Promise<DownloadState> {
  if (!URL.canParse(written) || !/^https?:$/.test(new URL(written).protocol))
    return failed(
      `"${withoutUserInfo(written)}" is no address for a download`,
      'it begins with https:// or http://, or is the absolute path of a file on this machine',
    );
  const url = new URL(written);
  if (url.username !== '' || url.password !== '')
    return failed(
      `${withoutUserInfo(written)} has a user or a password in it, which pages and records would show`,
      'use an address that needs none, or download the file to this machine and name it by its absolute path',
    );
  const trust: Trust = { setting: 'the download', verify: true, ...(ca === undefined ? {} : { ca }) };
  const tls = url.protocol === 'https:';
  const path = join(cacheDir, `${sha256(written).slice(0, 16)}-${basename(url.pathname) || 'index'}`);
  try {
    await mkdir(cacheDir, { recursive: true, mode: 0o700 });
    const note = await readNote(path);
    const answer = await client.stream({
      target: {
        host: url.hostname.replace(/^\[|\]$/g, ''),
        port: url.port === '' ? (tls ? 443 : 80) : Number(url.port),
        tls,
        trust,
      },
      method: 'GET',
      path: `${url.pathname}${url.search}`,
      headers: note === undefined ? {} : conditions(note),
      timeoutMs: silenceLimitMs,
    });
    if (answer.is === 'unreachable') return failed(`${written}: ${answer.reason}`);
    if (answer.is === 'untrusted') return failed(`${written}: ${answer.reason}`, answer.hint);
    if (answer.is === 'lost') return failed(`${written}: ${answer.detail}`);
    return await take(answer, path, written, note);
  } catch (error) {
    return failed(`${written}: ${broken(error)}`);
  }
}

function broken(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET') return 'the connection broke in the middle of the file';
  if (code === 'UND_ERR_BODY_TIMEOUT') return `nothing came for ${silenceLimitMs / 1000} s in the middle of the file`;
  if (code === 'ENOSPC') return 'the disk of this machine is full';
  return message;
}

const conditions = ({ etag, lastModified }: Note): Readonly<Record<string, string>> => ({
  ...(etag === '' ? {} : { 'if-none-match': etag }),
  ...(lastModified === '' ? {} : { 'if-modified-since': lastModified }),
});

async function take(answer: Streaming, path: string, url: string, note: Note | undefined): Promise<DownloadState> {
  const { status, headers, body } = answer;
  if (status === 304 && note !== undefined) {
    body.destroy();
    return describe(path, note);
  }
  if (status !== 200) {
    body.destroy();
    if (status >= 300 && status < 400)
      return failed(
        `${url} answers ${status}: it is elsewhere`,
        `redirects are not followed; write ${headers['location'] ?? 'its own address'} if you trust it`,
      );
    return failed(`${url} answers ${status}`, status === 404 ? 'is the version right, and `package_url`?' : undefined);
  }
  const saved = await save(body, path);
  if ('reason' in saved) return failed(`${url} ${saved.reason}`);
  const length = Number(headers['content-length'] ?? saved.sizeBytes);
  if (length !== saved.sizeBytes) {
    await rm(path, { force: true });
    return failed(`${url}: ${saved.sizeBytes} bytes came, and ${length} were announced`);
  }
  const fresh: Note = {
    ...saved,
    etag: headers['etag'] ?? '',
    lastModified: headers['last-modified'] ?? '',
    contentType: headers['content-type'] ?? '',
  };
  await writeFile(`${path}.json`, JSON.stringify(fresh), { mode: 0o600 });
  return describe(path, fresh);
}

async function save(
  body: AsyncIterable<Uint8Array>,
  path: string,
): Promise<{ readonly sha256: string; readonly sizeBytes: number } | { readonly reason: string }> {
  const part = `${path}.${process.pid}.part`;
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const file = await open(part, 'w', 0o600);
  try {
    for await (const chunk of body) {
      sizeBytes += chunk.length;
      if (sizeBytes > largestFileBytes) return { reason: `is larger than ${largestFileBytes / 1024 ** 3} GiB` };
      hash.update(chunk);
      await file.writeFile(chunk);
    }
    await file.close();
    await rename(part, path);
    return { sha256: hash.digest('hex'), sizeBytes };
  } finally {
    await file.close().catch(() => undefined);
    await rm(part, { force: true });
  }
}

/** What is in a file of the controller's that is whole. */
export async function describe(
  path: string,
  { sha256, sizeBytes, contentType }: Pick<Note, 'sha256' | 'sizeBytes' | 'contentType'>,
): Promise<Fetched> {
  const members = await membersOf(path);
  const base: Fetched = {
    is: 'fetched',
    path,
    sizeBytes,
    sha256,
    contentType,
    ...(members === undefined ? {} : { members }),
  };
  if (sizeBytes > largestTextBytes) return base;
  const bytes = await readFile(path);
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? { ...base, text } : base;
}

/** The note of a file that is still as it was written; of any other there is none. */
async function readNote(path: string): Promise<Note | undefined> {
  try {
    const json: Json = jsonOrUndefined(readFileWithin(`${path}.json`, MOST_OF.text).toString('utf8')) ?? null;
    const { size } = await stat(path);
    const note = isObject(json) ? (json as unknown as Note) : undefined;
    return note?.sizeBytes === size && (note.etag !== '' || note.lastModified !== '') ? note : undefined;
  } catch {
    return undefined;
  }
}
