import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { load } from '../../engine/language/load.js';
import { readAhead } from '../../engine/language/yaml/ahead.js';
import { parseYaml } from '../../engine/language/yaml/source.js';
import { isObject, type Json } from '../../engine/terms/json.js';

const folder = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../playbooks');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yaml'));
const names = { file: 'a', absolute: '/a' };

/** Paths of all that a project keeps the position of. */
function* positioned(tree: Json, at: readonly (string | number)[] = []): Generator<readonly (string | number)[]> {
  if (isObject(tree)) for (const [key, value] of Object.entries(tree)) yield* positioned(value, [...at, key]);
  if (!Array.isArray(tree)) return;
  for (const [i, item] of (tree as readonly Json[]).entries()) {
    if (['plays', 'steps', 'invariants'].includes(String(at.at(-1)))) yield [...at, i];
    yield* positioned(item, [...at, i]);
  }
}

describe('shipped files as the build has read them', () => {
  test.each(files)('%s: the same data, and the same places', async (file) => {
    const text = readFileSync(path.join(folder, file), 'utf8');
    const [ahead, read] = [await readAhead(names, text), (await parseYaml(names, text)).source];
    expect(ahead?.json).toEqual(read?.json);
    for (const at of positioned(read?.json ?? null)) {
      const { line, column } = read?.place(at, 'value') ?? {};
      expect([at, ahead?.place(at, 'value')]).toEqual([at, { line, column, length: 1 }]);
    }
  });

  test('a text that differs by a byte is read anew', async () => {
    const text = readFileSync(path.join(folder, files[0] ?? ''), 'utf8');
    expect(await readAhead(names, `${text} `)).toBeUndefined();
  });

  test('a mistake in one file has its place all the same', async () => {
    const cwd = path.dirname(folder);
    const loaded = await load({
      playbook: 'upgrade-4.14',
      cwd,
      env: {},
      shippedDir: folder,
      inventory: ['inventory.example.yaml'],
      extraVars: { rejoin_limti: '1m' },
    });
    const found = loaded.ok ? [] : loaded.diagnostics;
    expect(found).toContainEqual(expect.objectContaining({ file: '-e', hint: 'did you mean "rejoin_limit"?' }));
  });
});
