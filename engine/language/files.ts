import { statSync } from 'node:fs';
import { access, constants, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { MOST_OF, NotRead, readFileWithin } from '../lib/bounded-file.js';

export type FileText =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'missing' }
  | { readonly is: 'refused'; readonly reason: string };

/** A file that is only used, not read here: its mode. */
export type Looked = { readonly is: 'file'; readonly mode: number } | Exclude<FileText, { readonly is: 'text' }>;

/** Where playbooks and inventories are read from: the disk, or the copies that a run kept. Paths are absolute. */
export interface Files {
  read(file: string): Promise<FileText>;
  /** What a file is, and whether it can be read, without reading it. */
  look(file: string): Promise<Looked>;
  /** Names in a directory; none when there is no such directory. */
  list(directory: string): Promise<readonly string[]>;
  /** True for the disk as it is now: what the files lead to (certificates, other playbooks) can be looked at, too. */
  readonly live: boolean;
}

export const diskFiles: Files = {
  live: true,
  // Some forty small files, one after another: each wait for a thread costs more than the reading.
  read: (file) => Promise.resolve(readNow(file)),
  async look(file) {
    try {
      const found = await stat(file);
      if (found.isDirectory()) return { is: 'refused', reason: 'is a directory' };
      await access(file, constants.R_OK);
      return { is: 'file', mode: found.mode };
    } catch (error) {
      return whyNot(error);
    }
  },
  async list(directory) {
    return await readdir(directory).catch(() => []);
  },
};

/** The disk, with the texts that a run kept in place of what these files have now. */
export function diskFilesWith(kept: readonly { readonly file: string; readonly text: string }[]): Files {
  const texts = new Map(kept.map(({ file, text }) => [file, text]));
  const read: Files['read'] = (file) => {
    const text = texts.get(file);
    return text === undefined ? diskFiles.read(file) : Promise.resolve({ is: 'text', text });
  };
  return { ...diskFiles, read };
}

function readNow(file: string): FileText {
  try {
    if (statSync(file).isDirectory()) return { is: 'missing' };
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileWithin(file, MOST_OF.text));
    return { is: 'text', text };
  } catch (error) {
    return whyNot(error);
  }
}

function whyNot(error: unknown): Exclude<FileText, { is: 'text' }> {
  if (error instanceof NotRead) return { is: 'refused', reason: error.message };
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (['ENOENT', 'ENOTDIR'].includes(code)) return { is: 'missing' };
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return { is: 'refused', reason: 'is not UTF-8 text' };
  return { is: 'refused', reason: `cannot be read (${code === '' ? String(error) : code})` };
}

/**
 * The texts that a run kept. A file that was found in a directory which is elsewhere now (the shipped playbooks of another
 * version) is known by the end of its path, when only one has that end.
 */
export function keptFiles(kept: readonly { readonly file: string; readonly text: string }[]): Files {
  const texts = new Map(kept.map(({ file, text }) => [file, text]));
  return {
    read(file) {
      const exact = texts.get(file);
      const alike = [...texts].filter(([name]) => path.basename(name) === path.basename(file));
      const text = exact ?? (alike.length === 1 ? alike[0]?.[1] : undefined);
      return Promise.resolve(text === undefined ? { is: 'missing' } : { is: 'text', text });
    },
    // Only what is live is looked at.
    look: () => Promise.resolve({ is: 'missing' }),
    list: () => Promise.resolve([]),
    live: false,
  };
}
