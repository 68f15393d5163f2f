import { open } from 'node:fs/promises';
import { archiveListing, type ArchiveListing } from '../../facts/host.js';

const GZIP = 0x1f8b;
/** Longer ones are not told ahead. */
const MOST_MEMBERS = 1_000;

/**
 * What a fetched archive holds, asked of this machine in the words in which a host would be asked, so that a plan knows what the host will
 * say. Undefined for whatever is no such archive, and where this machine's `tar` has other words.
 */
export async function membersOf(path: string): Promise<NonNullable<ArchiveListing> | undefined> {
  if (!(await isCompressed(path))) return undefined;
  const { execa } = await import('execa');
  const { exitCode = 1, stdout } = await execa('/bin/sh', ['-c', archiveListing.sh(path)], {
    encoding: 'latin1',
    env: { LC_ALL: 'C' },
    reject: false,
    stdin: 'ignore',
    timeout: 60_000,
  });
  const answer = archiveListing.parse({ exit: exitCode, stdout }, path);
  const members = answer.is === 'value' ? (answer.value as unknown as ArchiveListing) : null;
  return members === null || members.length === 0 || members.length > MOST_MEMBERS ? undefined : members;
}

async function isCompressed(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer.readUInt16BE() === GZIP;
  } finally {
    await file.close();
  }
}
