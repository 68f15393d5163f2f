import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import pLimit from 'p-limit';
import type { OfflinePackage, OfflinePackages } from '../../facts/offline-packages.js';
import { debHeader } from './deb-header.js';
import { rpmHeader } from './rpm-header.js';
import { MOST_OF, readFileWithin, whyNotRead } from '../../lib/bounded-file.js';

export const SUMS = 'SHA256SUMS';
const AT_ONCE = 4;

/**
 * Reads a folder of packages on the controller. A package is identified by its header, never by its file name. Each must be listed
 * in SHA256SUMS and have that hash, and no two may be the same; all mistakes are reported at once. Never rejects.
 */
export async function readOfflinePackages(folder: string): Promise<OfflinePackages> {
  const names = await readdir(folder).catch((error: unknown) => error as NodeJS.ErrnoException);
  if (!Array.isArray(names))
    return failed(noFolder(folder, names), 'platform.offline_packages is seen from the inventory');
  const sums = sumsOf(folder);
  if ('unread' in sums) return failed(`${folder}/${SUMS} ${sums.unread}`);
  if (sums.text === undefined)
    return failed(`${folder} has no ${SUMS}`, `make it where the packages come from: sha256sum *.deb *.rpm > ${SUMS}`);
  const listed = listedIn(sums.text);
  if (typeof listed === 'number')
    return failed(`${folder}/${SUMS}:${listed} is no line as sha256sum writes it`, 'a hash, two spaces, a name');
  const files = names.filter((name) => /\.(?:deb|rpm)$/.test(name)).sort();
  if (files.length === 0) return failed(`${folder} holds no .deb and no .rpm`);
  const limit = pLimit(AT_ONCE);
  const read = await Promise.all(files.map((file) => limit(() => readOne(folder, file, listed.get(file)))));
  const packages = read.flatMap((one) => (typeof one === 'string' ? [] : [one]));
  const wrong = [...read.filter((one) => typeof one === 'string'), ...alike(packages)];
  return wrong.length === 0
    ? { is: 'read', packages }
    : failed(`${folder}: ${wrong.join('; ')}`, 'put that right before anything is uploaded');
}

const failed = (reason: string, hint?: string): OfflinePackages => ({
  is: 'failed',
  reason,
  ...(hint === undefined ? {} : { hint }),
});

const noFolder = (folder: string, { code, message }: NodeJS.ErrnoException): string =>
  code === 'ENOENT' || code === 'ENOTDIR'
    ? `there is no folder ${folder} of offline packages`
    : `${folder}: ${message}`;

/** Hashes by name; the number of the first line that is none. */
export function listedIn(sums: string): ReadonlyMap<string, string> | number {
  const listed = new Map<string, string>();
  for (const [i, line] of sums.split(/\r?\n/).entries()) {
    if (line === '') continue;
    const [, sha256 = '', name = ''] = /^([0-9a-f]{64}) [ *](?:\.\/)?(.+)$/i.exec(line) ?? [];
    if (name === '') return i + 1;
    listed.set(name, sha256.toLowerCase());
  }
  return listed;
}

/** The package, or in words what is wrong with it. */
async function readOne(folder: string, file: string, wanted: string | undefined): Promise<OfflinePackage | string> {
  if (wanted === undefined) return `${file} is not listed in ${SUMS}`;
  const family = file.endsWith('.deb') ? 'deb' : 'rpm';
  const path = join(folder, file);
  try {
    const sha256 = await sha256Of(path);
    if (sha256 !== wanted) return `${file} has the SHA-256 ${sha256}, and ${SUMS} says ${wanted}`;
    const handle = await open(path);
    try {
      const header = await (family === 'deb' ? debHeader(handle) : rpmHeader(handle));
      return header === undefined
        ? `${file} is no ${family === 'deb' ? 'DEB' : 'RPM'}`
        : { file, sha256, family, ...header };
    } finally {
      await handle.close();
    }
  } catch (error) {
    return `${file} cannot be read: ${(error as Error).message}`;
  }
}

/** Of a file of whatever size. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** Two files of one package: it would be undefined which of them is installed. */
function alike(packages: readonly OfflinePackage[]): readonly string[] {
  const seen = new Map<string, string>();
  return packages.flatMap(({ file, family, name, version, architecture }) => {
    const key = [family, name, version, architecture].join(' ');
    const other = seen.get(key);
    if (other === undefined) seen.set(key, file);
    return other === undefined ? [] : [`${other} and ${file} are both ${name} ${version} (${architecture})`];
  });
}

/** The list of hashes beside the packages; without a text where there is none. */
export function sumsOf(folder: string): { readonly text?: string } | { readonly unread: string } {
  try {
    return { text: readFileWithin(join(folder, SUMS), MOST_OF.foreign).toString('utf8') };
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? {} : { unread: whyNotRead(error) };
  }
}
