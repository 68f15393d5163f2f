import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { load } from '../../engine/language/load.js';

const docs = path.join(import.meta.dirname, '../../docs');
const example = (name: string): string => path.join(docs, 'examples', name);

describe('the examples of docs/authoring.md', () => {
  test.each(['nginx', 'database', 'rabbitmq'])('validate accepts %s, without a warning', async (name) => {
    const cwd = example(name);
    const loaded = await load({ playbook: 'upgrade.yaml', cwd, env: {}, shippedDir: cwd });
    const found = loaded.ok ? loaded.warnings : loaded.diagnostics;
    expect(found.map((d) => `${d.file}:${d.line} ${d.message}`)).toEqual([]);
    expect(loaded.ok).toBe(true);
  });

  test('each line of a snippet of the guide stands in the files of nginx', () => {
    const files = ['platform.yaml', 'inventory.yaml', 'upgrade.yaml', 'haproxy.cfg'];
    const lines = files.flatMap((file) => readFileSync(path.join(example('nginx'), file), 'utf8').split('\n'));
    const known = new Set(lines.map((line) => line.trim()));
    const guide = readFileSync(path.join(docs, 'authoring.md'), 'utf8').split('\n');
    const snippets = guide.filter((line) => /^ {4}(?!runbook )/.test(line)).map((line) => line.trim());
    expect(snippets.filter((line) => !known.has(line))).toEqual([]);
    expect(snippets.length).toBeGreaterThan(40);
  });
});
