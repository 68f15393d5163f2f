/** What the schema.ts files of the engine export, and the JSON files made of it. */
import { Buffer } from 'node:buffer';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { format, resolveConfig } from 'prettier';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** What each folder's schema.ts exports. */
export async function readSources(folders) {
  const lines = folders.map((folder, i) => `import * as s${i} from './${folder}/schema.ts';`);
  const { outputFiles } = await build({
    stdin: {
      contents: `${lines.join('\n')}\nexport default [${folders.map((_, i) => `s${i}`).join(', ')}];`,
      resolveDir: root,
      loader: 'ts',
    },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
  });
  const code = Buffer.from(outputFiles[0].contents).toString('base64');
  const { default: sources } = await import(`data:text/javascript;base64,${code}`);
  return sources;
}

/** What a generated schema begins with. */
export const head = (folder) => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $comment: `Generated from ${folder}/schema.ts by \`npm run build\`; do not edit.`,
});

/** Writes schemas/NAME, only where it differs. */
export async function writeSchema(name, schema) {
  const file = path.join(root, 'schemas', name);
  const text = await format(JSON.stringify(schema), { ...(await resolveConfig(file)), filepath: file });
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
}
