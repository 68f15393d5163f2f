import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the sources of the lab's packages are. */
export const packagesDir = fileURLToPath(new URL('../packages/', import.meta.url));

/** The text of a file under `packages/`, each `@NAME@` replaced; throws for a name that has no value. */
export async function template(path: string, values: Readonly<Record<string, string>> = {}): Promise<string> {
  const text = await readFile(join(packagesDir, path), 'utf8');
  return text.replaceAll(/@([A-Z_]+)@/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${path}: no value for @${name}@`);
    return value;
  });
}
