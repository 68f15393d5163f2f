import path from 'node:path';
import type { Json } from '../../engine/terms/json.js';
import { listOf, mapOf } from './project.js';

/** A file that a playbook imports, and what its plays are called below: the file's own name. */
export interface Import {
  readonly file: string;
  readonly as: string;
}

/** The files that each playbook imports. */
export type Imports = Readonly<Record<string, readonly Import[]>>;

/** The imports of one playbook, by their paths below the project's root. */
export const importedBy = (file: string, json: Json): readonly Import[] =>
  listOf(mapOf(json)['plays']).flatMap((play) => {
    const { import: name } = mapOf(play);
    if (typeof name !== 'string') return [];
    return [{ file: path.join(path.dirname(file), name), as: path.basename(name, '.yaml') }];
  });

/** A playbook and all that it imports, at any depth. */
export function filesOf(playbook: string, imports: Imports): ReadonlySet<string> {
  const all = new Set([playbook]);
  for (const file of all) for (const next of imports[file] ?? []) all.add(next.file);
  return all;
}

/**
 * What the paths of a file's events begin with: "indexer" where it is run by itself, "upgrade-4.14/indexer" where that imports it. Two
 * files of one name are told apart so. A file in a folder below is only ever imported.
 */
export function prefixesOf(files: readonly string[], imports: Imports): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  const visit = (file: string, prefix: string): void => {
    found.set(file, [...(found.get(file) ?? []), prefix]);
    // No file imports in a circle: `validate` refuses it. Eight deep is enough for a tool.
    if (prefix.split('/').length < 8) for (const next of imports[file] ?? []) visit(next.file, `${prefix}/${next.as}`);
  };
  for (const file of files.filter((f) => !f.slice('playbooks/'.length).includes('/')))
    visit(file, path.basename(file, '.yaml'));
  return found;
}
