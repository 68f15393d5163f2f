import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { entriesFor, nameOf, indexed, parseKnownHosts } from '../../engine/machines/ssh/known-hosts.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'runbook-known-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Lines (1-based) that OpenSSH's own tool finds for a name. */
function found(path: string, name: string): readonly number[] {
  const { stdout } = spawnSync('ssh-keygen', ['-F', name, '-f', path], { encoding: 'utf8' });
  return [...stdout.matchAll(/^# Host .* found: line (\d+)/gm)].map((m) => Number(m[1]));
}

const name = fc.constantFrom(
  'web',
  'web-1',
  'db',
  'db.example.com',
  'WEB',
  '10.0.0.1',
  '[web]:2222',
  '[10.0.0.1]:2222',
);
const pattern = fc.oneof(
  name,
  fc.constantFrom('*', 'web*', '*.example.com', '!web', '!db*', 'w?b', '10.0.0.*', '[web]:*'),
);
const line = fc.tuple(
  fc.constantFrom('', '', '', '@revoked ', '@cert-authority ', '# '),
  fc.array(pattern, { minLength: 1, maxLength: 3 }),
  fc.integer({ min: 0, max: 3 }),
);

test('names are found where ssh-keygen -F finds them, plain and hashed', () => {
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'key')]);
  const key = readFileSync(join(folder, 'key.pub'), 'utf8').split(' ').slice(0, 2).join(' ');
  const path = join(folder, 'known_hosts');
  const asked = [
    ['web', 22],
    ['web', 2222],
    ['db.example.com', 22],
    ['10.0.0.1', 22],
    ['10.0.0.1', 2222],
    ['web-1', 22],
  ] as const;
  fc.assert(
    fc.property(fc.array(line, { maxLength: 6 }), fc.boolean(), (lines, isHashed) => {
      writeFileSync(path, lines.map(([marker, names]) => `${marker}${names.join(',')} ${key}\n`).join(''));
      if (isHashed && lines.length > 0) spawnSync('ssh-keygen', ['-H', '-f', path]);
      const known = indexed(parseKnownHosts(readFileSync(path, 'utf8'), 'f'));
      for (const [address, port] of asked) {
        const ours = entriesFor(known, nameOf(address, port)).map((e) => Number(e.at.split(':')[1]));
        expect(ours).toEqual(found(path, nameOf(address, port)));
      }
    }),
    { numRuns: 60 },
  );
});
