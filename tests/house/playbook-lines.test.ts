import { expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../playbooks/', import.meta.url));
const LONGEST = 140;

test('a line of a shipped playbook fits into a change ticket', () => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yaml'));
  const long = files.flatMap((file) =>
    readFileSync(path.join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, i) => (line.length > LONGEST ? [`${file}:${i + 1}`] : [])),
  );
  expect(files.length).toBeGreaterThan(20);
  expect(long).toEqual([]);
});
