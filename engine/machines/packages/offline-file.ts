import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DownloadQuestion, DownloadState } from '../../facts/http.js';
import { describe } from '../http/download.js';
import { listedIn, sha256Of, SUMS, sumsOf } from './offline-packages.js';

/**
 * A file of a folder on the controller, in place of its download; undefined where there is none of that name. As with packages
 * SHA256SUMS vouches for it. Never rejects.
 */
export async function offlineFile({
  folder,
  file,
}: NonNullable<DownloadQuestion['offline']>): Promise<DownloadState | undefined> {
  const path = join(folder, file);
  try {
    const there = await stat(path).catch(() => undefined);
    if (there === undefined) return undefined;
    const sums = sumsOf(folder);
    if ('unread' in sums) return failed(`${folder}/${SUMS} ${sums.unread}`);
    const listed = listedIn(sums.text ?? '');
    if (typeof listed === 'number') return failed(`${folder}/${SUMS}:${listed} is no line as sha256sum writes it`);
    const wanted = listed.get(file);
    if (wanted === undefined) return failed(`${path} is not listed in ${SUMS}`);
    const sha256 = await sha256Of(path);
    if (sha256 !== wanted) return failed(`${path} has the SHA-256 ${sha256}, and ${SUMS} says ${wanted}`);
    return await describe(path, { sha256, sizeBytes: there.size, contentType: '' });
  } catch (error) {
    return failed(`${path} cannot be read: ${(error as Error).message}`);
  }
}

/** A file of the controller's, as it is. Never rejects. */
export async function controllerFile(path: string): Promise<DownloadState> {
  try {
    const { size } = await stat(path);
    return await describe(path, { sha256: await sha256Of(path), sizeBytes: size, contentType: '' });
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return {
      is: 'failed',
      reason: isAbsent
        ? `there is no ${path} on the controller`
        : `${path} cannot be read: ${(error as Error).message}`,
    };
  }
}

const failed = (reason: string): DownloadState => ({
  is: 'failed',
  reason,
  hint: 'put that right, or take the file out of the folder: then it is downloaded',
});
