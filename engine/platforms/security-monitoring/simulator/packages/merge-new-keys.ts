import { entryAt, putFile, removeEntry, textAt } from '../../../../simulator/files.js';
import type { HostState } from '../../../../simulator/state.js';
import { isAtLeast } from './release.js';

/** The releases whose scripts merge new keys into a YAML file that was kept. */
export const mergesNewKeys = (version: string): boolean => isAtLeast(version, '4.14');

/** The lines of a script that call the program which merges them. */
export const mergeScript = (home: string): string =>
  `    merge=${home}/bin/merge-new-keys.sh\n    if [ -x "$merge" ]; then "$merge"; fi\n`;

/**
 * What that program does to a kept file: it appends the keys of the new default that the file lacks, and removes the new default. It compares
 * text, so a key that the operator quoted, or that stands in a map, is there twice afterwards.
 */
export function mergeNewKeys(host: HostState, path: string, atMs: number): void {
  for (const beside of ['.dpkg-dist', '.rpmnew']) {
    const [text, own] = [textAt(host, path + beside), textAt(host, path)];
    const entry = entryAt(host, path);
    if (text === undefined || own === undefined || entry === undefined) continue;
    const keys = new Set(own.split('\n').map((line) => line.split(':')[0]));
    const added = text.split('\n').filter((line) => /^[\w.]+:/.test(line) && !keys.has(line.split(':')[0]));
    if (added.length > 0) putFile(host, path, { ...entry, text: `${own}${added.join('\n')}\n` }, atMs);
    removeEntry(host, path + beside);
  }
}
