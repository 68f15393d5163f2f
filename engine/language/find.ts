import path from 'node:path';
import { nearest } from '../lib/nearest.js';
import { readSource, type LoadContext } from './load-context.js';
import type { Source } from './yaml/source.js';

export type FoundFile =
  | { readonly is: 'read'; readonly source: Source }
  | { readonly is: 'wrong' }
  | { readonly is: 'missing'; readonly near?: string };

/**
 * Finds and reads a file by the name as written: a path is used as it is, a bare name is searched for in each of these directories in
 * order. The extension `.yaml` may be omitted.
 */
export async function findFile(
  context: LoadContext,
  written: string,
  directories: readonly string[],
): Promise<FoundFile> {
  const isPath = path.isAbsolute(written);
  const places = isPath ? [''] : [...new Set(directories)];
  // A pipe (`-i <(…)`) has no ending.
  const names = isPath ? [...new Set([...withEnding(written), written])] : withEnding(written);
  for (const directory of places) {
    for (const name of names) {
      const source = await readSource(context, path.resolve(directory, name));
      if (source === undefined) return { is: 'wrong' };
      if (source !== 'missing') return { is: 'read', source };
    }
  }
  const there = (
    await Promise.all(places.map((d) => context.files.list(path.resolve(d, path.dirname(written)))))
  ).flat();
  const bare = (name: string): string => name.replace(/\.ya?ml$/, '');
  const near = nearest(bare(path.basename(written)), there.filter((name) => name !== bare(name)).map(bare));
  return {
    is: 'missing',
    ...(near === undefined ? {} : { near: there.find((name) => bare(name) === near && name !== near) ?? near }),
  };
}

const withEnding = (name: string): readonly string[] =>
  /\.ya?ml$/.test(name) ? [name] : [`${name}.yaml`, `${name}.yml`];

/** Where playbooks are looked for: the working directory, `./playbooks`, then the shipped ones. */
export const playbookDirectories = ({ cwd, shippedDir }: LoadContext): readonly string[] => [
  cwd,
  path.join(cwd, 'playbooks'),
  shippedDir,
];
