import path from 'node:path';
import { playbookDirectories } from '../find.js';
import { displayName, type LoadContext } from '../load-context.js';
import type { Source } from '../yaml/source.js';

/** The playbooks with plays that import a file of steps, as people know them: those beside it, above it, and where playbooks are looked for. */
export async function importersOf(context: LoadContext, { absolute }: Source): Promise<readonly string[]> {
  const { files, cwd } = context;
  const beside = path.dirname(absolute);
  const directories = new Set([beside, path.dirname(beside), ...playbookDirectories(context)]);
  const name = path.basename(absolute).replaceAll('.', '\\.');
  const imports = new RegExp(`\\bimport:\\s*["']?(?:[^\\s"',}]*/)?${name}(?=$|[\\s"',}])`, 'm');
  const found = await Promise.all(
    [...directories].map(async (directory) => {
      const names = (await files.list(directory)).filter((one) => /\.ya?ml$/.test(one));
      const read = await Promise.all(names.map((one) => files.read(path.join(directory, one))));
      return names
        .filter((_, i) => {
          const file = read[i];
          return file?.is === 'text' && /^plays:/m.test(file.text) && imports.test(file.text);
        })
        .map((one) => displayName(cwd, path.join(directory, one)));
    }),
  );
  return found.flat();
}
