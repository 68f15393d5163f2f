import { afterEach, describe, expect, test } from '@jest/globals';
import { localHarness, onePlay, type Harness } from './cli-harness.js';

let harness: Harness | undefined;
afterEach(() => {
  harness?.end();
  harness = undefined;
});

const PLAYBOOK = onePlay('      - step: look\n        command: { argv: ["true"], changes: nothing, timeout: 10s }\n');

/** The warnings of validate for secrets with these values in the environment, and for one in a file. */
async function warnedOf(values: Readonly<Record<string, string>>, filed = 'x7Kq92Lm4') {
  const names = Object.keys(values).map((name) => `${name}: { env: ${name} }`);
  harness = localHarness(PLAYBOOK, `{ ${[...names, 'filed: { file: filed }'].join(', ')} }`);
  harness.write('filed', `${filed}\n`);
  const { exitCode, stdout, stderr } = await harness.run(['validate', 'test.yaml'], { env: values });
  return { exitCode, all: `${stdout}${stderr}`, warned: stderr.match(/secret "\w+" .*|use a random .*/g) ?? [] };
}

describe('validate warns of a secret that cannot be masked', () => {
  const WHY = 'masking it would also hide ordinary words';
  const HINT = 'use a random value of at least 8 characters';

  test('because it is short', async () => {
    const { exitCode, all, warned } = await warnedOf({ short: 'x7Kq92L' });
    expect([exitCode, warned]).toEqual([0, [`secret "short" has fewer than 8 characters: ${WHY}`, HINT]]);
    expect(all).not.toContain('x7Kq92L');
  });

  test('because it is a common word, in whatever case, in the environment or in a file', async () => {
    const { exitCode, all, warned } = await warnedOf({ common: 'ChangeMe' }, 'passw0rd');
    expect(exitCode).toBe(0);
    expect(warned).toEqual(['common', 'filed'].flatMap((name) => [`secret "${name}" is a common word: ${WHY}`, HINT]));
    expect(all).not.toMatch(/ChangeMe|passw0rd/);
  });

  test('and not of one of 8 random characters, nor of a longer one that only contains a common word', async () => {
    expect(await warnedOf({ fine: 'x7Kq92Lm', longer: 'changeme-x7Kq' })).toMatchObject({ exitCode: 0, warned: [] });
  });
});
