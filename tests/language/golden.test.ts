import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { formatDiagnostics } from '../../engine/language/diagnostic-text.js';
import { load } from '../../engine/language/load.js';

/** Each folder is a project with mistakes; expected.txt is what its person reads. GOLDEN=write writes it anew, to be read by an operator. */
const golden = path.join(path.dirname(fileURLToPath(import.meta.url)), 'golden');

describe('mistakes, as people read them', () => {
  test.each(readdirSync(golden))('%s', async (name) => {
    const cwd = path.join(golden, name);
    const loaded = await load({ playbook: 'playbook.yaml', cwd, env: {}, shippedDir: cwd });
    if (loaded.ok) throw new Error('it has no mistakes');
    const text = `${formatDiagnostics(loaded.diagnostics, loaded.sources)}\n`;
    const file = path.join(cwd, 'expected.txt');
    if (process.env['GOLDEN'] === 'write') writeFileSync(file, text);
    expect(text).toBe(readFileSync(file, 'utf8'));
  });
});
