import path from 'node:path';
import { playbookDirectories } from '../find.js';
import type { LoadContext } from '../load-context.js';
import type { LoadedInventory } from '../inventory/loaded.js';
import type { LoadedPlaybook } from './load.js';

/** The texts of all playbooks which could be run with this inventory: beside the one that is, and where playbooks are looked for. */
export async function playbookTexts(
  context: LoadContext,
  { playbook, loaded }: { readonly playbook: LoadedPlaybook; readonly loaded?: LoadedInventory | undefined },
): Promise<readonly string[]> {
  const own = new Set(loaded?.inventory.files.map(({ file }) => file));
  const root = path.resolve(context.cwd, path.dirname(playbook.playbook.file));
  const read = await Promise.all(
    [...new Set([root, ...playbookDirectories(context)])].map(async (directory) => {
      const files = (await context.files.list(directory))
        .filter((name) => /\.ya?ml$/.test(name))
        .map((name) => path.join(directory, name));
      return Promise.all(files.filter((file) => !own.has(file)).map((file) => context.files.read(file)));
    }),
  );
  return read.flat().flatMap((found) => (found.is === 'text' ? [found.text] : []));
}
