import { readFileSync } from 'node:fs';
import path from 'node:path';
import { keysMentioned } from './keys.js';
import type { Finding } from './items.js';
import { listOf, mapOf, textOf, type Material } from './project.js';
import { filesBelow } from './stamp.js';

/** Keys named by `spec:` in playbooks and by `§` in playbooks, schemas and the engine that the data file does not have. */
export function unknownKeys(root: string, material: Material, keys: readonly string[]): readonly Finding[] {
  const known = new Set(keys);
  const bySpec = [
    ...material.written.map((w) => ({ at: `${w.file}: ${[w.play, w.step].filter(Boolean).join(' / ')}`, key: w.spec })),
    ...listOf(material.platform['invariants'])
      .map(mapOf)
      .map((i) => ({ at: `playbooks/platform.yaml: ${textOf(i['invariant']) ?? ''}`, key: textOf(i['spec']) })),
  ];
  const bySign = [
    ...filesBelow(root, 'playbooks', '.yaml'),
    ...filesBelow(root, 'schemas/modules', '.json'),
    ...filesBelow(root, 'engine', '.ts').filter((file) => !file.includes('.generated.')),
  ].flatMap((file) =>
    keysMentioned(readFileSync(path.join(root, file), 'utf8')).map((key) => ({
      at: file,
      key,
    })),
  );
  return [...bySpec, ...bySign].flatMap(({ at, key }) =>
    key === undefined || known.has(key)
      ? []
      : [{ at, says: `names §${key}, which is no key of docs/specification.items.yaml` }],
  );
}
