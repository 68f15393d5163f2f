import { closeSync, openSync, readSync } from 'node:fs';
import type { DownloadState } from '../../facts/http.js';
import { zipTexts } from '../../lib/zip.js';

/** Adds the texts of these members where the file is a zip. */
export function withTexts(got: DownloadState, names: readonly string[] = []): DownloadState {
  if (got.is === 'failed' || names.length === 0) return got;
  const file = openSync(got.path, 'r');
  try {
    const read = (offset: number, length: number): Buffer => {
      const part = Buffer.alloc(length);
      return part.subarray(0, readSync(file, part, 0, length, offset));
    };
    const texts = zipTexts(read, got.sizeBytes, names);
    return texts === undefined ? got : { ...got, texts };
  } finally {
    closeSync(file);
  }
}
