import { afterEach, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { modelDesk, MODEL_SECRETS, type Desk } from './desk.js';

let desk: Desk | undefined;
afterEach(() => desk?.end());

test("the README's picture of a plan is what the program prints, line by line; … stands for lines left out", async () => {
  desk = modelDesk('{ from: 4.12.0 }');
  const { stdout } = await desk.run(['plan', 'upgrade-4.14.yaml'], { env: MODEL_SECRETS });
  // The hash binds the texts, which change more often than what they do.
  const plain = (text: string): readonly string[] => text.replace(/plan [0-9a-f]{8}$/m, 'plan').split('\n');
  const readme = readFileSync(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8');
  const picture = plain(/## A plan\n[^]*?```\n([^]*?)\n```/.exec(readme)?.[1] ?? '');
  const printed = plain(stdout);
  let at = 0;
  let next = true;
  for (const line of picture) {
    if (line === '…') {
      next = false;
      continue;
    }
    const found = printed.indexOf(line, at);
    expect({ line, found: next ? found === at : found >= at }).toEqual({ line, found: true });
    at = found + 1;
    next = true;
  }
  expect(picture.length).toBeGreaterThan(10);
});
