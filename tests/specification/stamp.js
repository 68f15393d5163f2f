// Plain JavaScript: Jest loads a reporter as it is, and the reporter needs this.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

export function filesBelow(root, folder, ending) {
  if (!existsSync(path.join(root, folder))) return [];
  return readdirSync(path.join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => path.relative(root, path.join(entry.parentPath ?? entry.path, entry.name)))
    .sort();
}

export function stampOf(root, testFile) {
  const hash = createHash('sha256');
  for (const file of [...filesBelow(root, 'playbooks', '.yaml'), testFile])
    if (existsSync(path.join(root, file))) hash.update(file).update(readFileSync(path.join(root, file)));
  return hash.digest('hex').slice(0, 16);
}

/** Where a part (`events`, `passed`) of what the tests of a file left is kept. */
export const partOf = (root, part, testFile) =>
  path.join(root, '.evidence', part, `${testFile.replaceAll('/', '__')}.json`);
