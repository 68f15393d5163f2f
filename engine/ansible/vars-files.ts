import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { isObject, type JsonObject } from '../terms/json.js';
import type { VarsFiles } from './resolve.js';
import type { Written } from './types.js';
import { yamlData } from './yaml.js';
import { MOST_OF, readFileWithin } from '../lib/bounded-file.js';

/** The variables of `group_vars` and `host_vars`, and which of their files were left out. */
export interface VarsRead {
  readonly files: VarsFiles;
  readonly notes: readonly string[];
}

const EXTENSIONS = ['', '.yml', '.yaml', '.json'];

/** Reads the files that belong to the groups and hosts of an inventory. What is wrong with one is added to the mistakes. */
export async function readVarsFiles(directory: string, cwd: string, written: Written): Promise<VarsRead> {
  const notes: string[] = [];
  const groups = await readAll(path.join(directory, 'group_vars'), ['all', 'ungrouped', ...written.groups.keys()]);
  const hosts = await readAll(path.join(directory, 'host_vars'), [...written.hosts.keys()]);
  return { files: { groups, hosts }, notes };

  async function readAll(folder: string, names: readonly string[]): Promise<ReadonlyMap<string, JsonObject>> {
    const all = new Map<string, JsonObject>();
    const present = await readdir(folder).catch((): string[] => []);
    if (present.length === 0) return all;
    for (const name of new Set(names)) {
      // A name is one file or folder of this folder, never a path out of it.
      const own = EXTENSIONS.map((extension) => `${name}${extension}`).find((file) => present.includes(file));
      if (own === undefined) continue;
      const files = await filesOf(path.join(folder, own));
      for (const file of files) all.set(name, { ...all.get(name), ...(await readOne(file)) });
    }
    return all;
  }

  async function readOne(file: string): Promise<JsonObject> {
    const shown = path.relative(cwd, file);
    const text = readFileWithin(file, MOST_OF.foreign).toString('utf8');
    if (text.startsWith('$ANSIBLE_VAULT;')) {
      notes.push(
        `${shown} is encrypted with Ansible Vault and was not read; add by hand what it has of addresses, users and ports`,
      );
      return {};
    }
    const parsed = await yamlData(text);
    if ('message' in parsed) written.mistakes.push({ at: `${shown}:${parsed.line}`, message: parsed.message });
    else if (parsed.data !== null && !isObject(parsed.data))
      written.mistakes.push({ at: shown, message: 'is not a map of variables' });
    return 'data' in parsed && isObject(parsed.data) ? parsed.data : {};
  }
}

/** A folder stands for all of its files, by name. */
async function filesOf(file: string): Promise<readonly string[]> {
  if (!(await stat(file)).isDirectory()) return [file];
  const entries = (await readdir(file)).filter((name) => !name.startsWith('.') && !name.endsWith('~')).sort();
  const all = await Promise.all(entries.map((name) => filesOf(path.join(file, name))));
  return all.flat();
}
