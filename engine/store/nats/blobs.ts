import { sha256 } from '../../lib/hash.js';
import { isIntact, StoreUnavailable, TEXTS, type RunStore } from '../run-store.js';
import type { Link } from './link.js';
import { subjectsOf } from './lines.js';

/** Files are kept in parts of this many bytes, or smaller where the servers take less. */
const CHUNK_BYTES = 512 * 1024;
const HEADER_BYTES = 512;

/** What the message of a file says. Its parts are known by its hash, so readers of the replaced file still find theirs. */
interface Head {
  readonly sha256: string;
  readonly chunks: number;
}

type Blobs = Pick<RunStore, 'listBlobs' | 'putBlob' | 'getBlob'>;

export function blobsOf(link: Link, stream: string, store: string): Blobs {
  const headOf = (run: string, name: string): string =>
    `${store}.blob.${run}.${Buffer.from(name).toString('base64url')}`;
  const chunkOf = (run: string, sha: string, n: number): string => `${store}.chunk.${run}.${sha}.${n}`;

  const readHead = async (what: string, run: string, name: string): Promise<Head | undefined> => {
    const message = await link.last(what, stream, headOf(run, name));
    return message === undefined ? undefined : (JSON.parse(message.string()) as Head);
  };

  return {
    async listBlobs(run) {
      const what = `list the files of run ${run}`;
      const subjects = await subjectsOf(link, what, stream, `${store}.blob.${run}.*`);
      const names = [...subjects.keys()]
        .map((subject) => Buffer.from(subject.split('.').at(-1) ?? '', 'base64url').toString())
        .sort();
      return Promise.all(
        names.map(async (name) => {
          if (name.startsWith(`${TEXTS}/`)) return { name, sha256: name.slice(TEXTS.length + 1) };
          return { name, sha256: (await readHead(what, run, name))?.sha256 ?? '' };
        }),
      );
    },
    async putBlob(run, name, bytes) {
      const what = `write ${name} of run ${run}`;
      const sha = sha256(bytes);
      if ((await readHead(what, run, name))?.sha256 === sha) return;
      const size = Math.min(CHUNK_BYTES, link.maxBytes() - HEADER_BYTES);
      const chunks = Math.ceil(bytes.length / size);
      for (let n = 0; n < chunks; n += 1) {
        const body = bytes.subarray(n * size, (n + 1) * size);
        await link.publish(what, { stream, subject: chunkOf(run, sha, n), body });
      }
      const head: Head = { sha256: sha, chunks };
      await link.publish(what, { stream, subject: headOf(run, name), body: Buffer.from(JSON.stringify(head)) });
    },
    async getBlob(run, name) {
      const what = `read ${name} of run ${run}`;
      const head = await readHead(what, run, name);
      if (head === undefined) return undefined;
      const parts: Buffer[] = [];
      for (let n = 0; n < head.chunks; n += 1) {
        const part = await link.last(what, stream, chunkOf(run, head.sha256, n));
        parts.push(Buffer.from(part?.data ?? []));
      }
      const bytes = Buffer.concat(parts);
      if (sha256(bytes) === head.sha256 && isIntact(name, bytes)) return bytes;
      throw new StoreUnavailable('damaged', link.named(what), 'its bytes are not those that were written', 0);
    },
  };
}
