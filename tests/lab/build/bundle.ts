import { join } from 'node:path';
import { build } from 'esbuild';
import { packagesDir } from './templates.js';

/** One file for Node 20 with everything that the program at `path` under `packages/` needs. */
export async function bundle(path: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(packagesDir, path)],
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    write: false,
    // The names of sources in the bundle are relative to this: the same wherever the work tree is.
    absWorkingDir: packagesDir,
    legalComments: 'inline',
    logLevel: 'error',
  });
  const [output] = outputFiles;
  if (output === undefined) throw new Error(`nothing was bundled from ${path}`);
  return output.text;
}
