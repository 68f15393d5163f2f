import { afterEach, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { modelHarness, MODEL_SECRETS, type Harness } from './cli-harness.js';

let harness: Harness | undefined;
afterEach(() => harness?.end());

test("the README's pictures of a plan are what the program prints, line by line; … stands for lines left out", async () => {
  harness = modelHarness('{ from: 4.12.0 }');
  // When, by whom, and the hash, which binds the texts: they change more often than what is planned.
  const plain = (text: string): readonly string[] =>
    text.replace(/^DRY RUN[^]*? plan [0-9a-f]{8}$/m, 'when').split('\n');
  const readme = readFileSync(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8');
  const [page = '', detail = ''] = [...readme.matchAll(/```\n([^]*?)\n```/g)].map(([, text = '']) => text);
  const printed = await harness.run(['plan', 'upgrade-4.14.yaml', '--detail'], { env: MODEL_SECRETS });
  expect(plain(page).slice(0, -2)).toEqual(plain(printed.stdout).slice(0, plain(page).length - 2));
  const lines = plain(printed.stdout);
  let at = 0;
  let next = false;
  for (const line of plain(detail)) {
    if (line === '…') {
      next = false;
      continue;
    }
    const found = lines.indexOf(line, at);
    expect({ line, found: next ? found === at : found >= at }).toEqual({ line, found: true });
    at = found + 1;
    next = true;
  }
});
