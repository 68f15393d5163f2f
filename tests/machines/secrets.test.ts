import { afterAll, describe, expect, it } from '@jest/globals';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecrets, meetSecrets } from '../../engine/machines/secrets.js';
import { openTypedBefore } from '../../engine/machines/typed-before.js';
import type { SecretSource } from '../../engine/terms/inventory.js';

const folder = mkdtempSync(join(tmpdir(), 'runbook-secrets-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const written = (name: string, text: string, mode: number): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
};
const secretsOf = (
  sources: Readonly<Record<string, SecretSource>>,
  ask = (): Promise<string | undefined> => Promise.resolve(undefined),
) => createSecrets({ sources, env: { GOOD: 'from env', SHORT: 'abc', EMPTY: '' }, ask });

describe('a secret comes', () => {
  it.each<readonly [string, SecretSource, string]>([
    ['from the environment', { env: 'GOOD' }, 'from env'],
    ['from a file, without its last newline', { file: written('good', ' from file \n', 0o600) }, ' from file '],
    ['from a file of several lines', { file: written('key', 'line 1\nline 2\n', 0o400) }, 'line 1\nline 2'],
    ['from a command, which no shell reads', { command: ['printf', '%s\n', '$HOME; `id`'] }, '$HOME; `id`'],
  ])('%s', async (_from, source, value) => {
    expect(await secretsOf({ s: source }).value('s')).toEqual({ is: 'value', value });
  });

  it('from an operator, once, and one question at a time', async () => {
    const asked: string[] = [];
    const answers: ((text: string) => void)[] = [];
    const ask = (text: string): Promise<string> => new Promise((resolve) => (asked.push(text), answers.push(resolve)));
    const secrets = secretsOf({ a: { prompt: 'Password of A' }, b: { prompt: 'Password of B' } }, ask as never);
    const all = Promise.all([secrets.value('a'), secrets.value('a'), secrets.value('b')]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked).toEqual(['Password of A']);
    answers[0]?.('first');
    await new Promise((resolve) => setImmediate(resolve));
    answers[1]?.('second\n');
    expect(await all).toEqual(['first', 'first', 'second'].map((value) => ({ is: 'value', value })));
    expect(asked).toEqual(['Password of A', 'Password of B']);
  });
});

describe('a secret that was typed in before for the same run', () => {
  /** Types these answers in this order; returns what counted and how often it was asked. */
  const type = async (file: string, ...answers: readonly string[]) => {
    const left = [...answers];
    const ask = (): Promise<string | undefined> => Promise.resolve(left.shift());
    const sources = { s: { prompt: 'Password' } };
    const typedBefore = openTypedBefore(file);
    const found = await createSecrets({ sources, env: {}, ask, typedBefore }).value('s');
    return [found.is === 'value' ? found.value : found.is, answers.length - left.length];
  };

  it('is known again; another is asked for again, and counts when it is typed twice', async () => {
    const file = join(folder, 'typed.json');
    // Chosen so that their bytes differ.
    expect(await type(file, 'the right one')).toEqual(['the right one', 1]);
    expect(await type(file, 'the right one')).toEqual(['the right one', 1]);
    expect(await type(file, 'the wrong one', 'the right one')).toEqual(['the right one', 2]);
    expect(await type(file, 'a slip', 'a new one', 'a new one')).toEqual(['a new one', 3]);
    expect(await type(file, 'a new one')).toEqual(['a new one', 1]);
    expect(await type(file, 'a slip')).toEqual(['failed', 1]);
  });

  it('is remembered by one byte, the same for every run, that its owner alone can read, until the run is closed', async () => {
    const [first, second] = [join(folder, 'first.json'), join(folder, 'second.json')];
    await type(first, 'the right one');
    await type(second, 'the right one');
    expect(readFileSync(first, 'utf8')).toMatch(/^\{"s":\d{1,3}\}$/);
    expect([readFileSync(second, 'utf8'), statSync(first).mode & 0o777]).toEqual([readFileSync(first, 'utf8'), 0o600]);
    openTypedBefore(first).forget();
    expect(existsSync(first)).toBe(false);
  });

  it('is asked for all the same where nothing can be kept', async () => {
    expect(await type(join(folder, 'nowhere', 'typed.json'), 'the right one')).toEqual(['the right one', 1]);
  });
});

describe('a secret is refused', () => {
  it.each<readonly [string, SecretSource, RegExp, RegExp | undefined]>([
    ['that is not set', { env: 'NOWHERE' }, /NOWHERE is not set/, /export NOWHERE/],
    ['that is empty', { env: 'EMPTY' }, /is empty/, /longer/],
    ['that is short', { env: 'SHORT' }, /fewer than 4 characters/, /longer/],
    [
      'that its group can read',
      { file: written('group', 'secret', 0o640) },
      /others than its owner may use .*group \(mode 640\)/,
      /chmod 600/,
    ],
    ['that others can read', { file: written('others', 'secret', 0o604) }, /mode 604/, /chmod 600/],
    ['whose file is not there', { file: join(folder, 'nowhere') }, /nowhere cannot be read \(ENOENT\)/, undefined],
    [
      'whose command fails',
      { command: ['sh', '-c', 'echo value; echo locked >&2; exit 3'] },
      /sh ended with status 3: locked$/,
      undefined,
    ],
    [
      'whose command is not there',
      { command: ['no-such-program-here'] },
      /no-such-program-here could not be started/,
      undefined,
    ],
    ['that must be typed in, without a terminal', { prompt: 'Password' }, /no terminal/, /`env`, `file` or `command`/],
  ])('%s', async (_what, source, reason, hint) => {
    const found = await secretsOf({ s: source }).value('s');
    expect(found).toMatchObject({
      is: 'failed',
      reason: expect.stringMatching(reason),
      ...(hint === undefined ? {} : { hint: expect.stringMatching(hint) }),
    });
  });

  it('that the inventory does not name', async () => {
    expect(await secretsOf({}).value('toString')).toMatchObject({
      is: 'failed',
      reason: 'there is no secret "toString"',
    });
  });
});

describe('known secrets', () => {
  it('are taken out of text from when they are known', async () => {
    const secrets = secretsOf({ s: { env: 'GOOD' } });
    expect(secrets.redact('it is from env')).toBe('it is from env');
    await secrets.value('s');
    expect(secrets.redact('it is from env, from%20env')).toBe('it is {{secret.s}}, {{secret.s}}');
  });

  it('are met wherever a tree names them', async () => {
    const secrets = secretsOf({ s: { env: 'GOOD' } });
    const tree = { a: [{ $secret: 's' }, 1, null], b: { $text: ['x ', { $secret: 's' }] }, c: '{{secret.s}}' };
    expect(await meetSecrets(tree, secrets)).toEqual({
      is: 'met',
      value: { a: ['from env', 1, null], b: 'x from env', c: '{{secret.s}}' },
    });
    expect(await meetSecrets({ $secret: 'none' }, secrets)).toMatchObject({ is: 'failed' });
  });
});
