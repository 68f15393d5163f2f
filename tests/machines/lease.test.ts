import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { sha256 } from '../../engine/lib/hash.js';
import type { Action, Outcome } from '../../engine/terms/action.js';
import { workshop } from './local-host.js';

/** An action compares the lease on the host as it begins: who was frozen until another controller took the host over does nothing. */
let shop: ReturnType<typeof workshop>;
beforeEach(() => {
  shop = workshop();
});
afterEach(() => shop.end());

const OURS = `{"token":"it's ours"}`;
let effects = 0;
const perform = (action: Action, file = 'lease', marker?: string): Promise<Outcome> =>
  shop.machine.perform({ host: 'here' }, action, {
    id: `a/${(effects += 1)}`,
    lease: { file: shop.path(file), text: OURS, ...(marker === undefined ? {} : { marker }) },
  });
const at = (name: string): string => shop.path(name);
const run = { argv: ['touch', ''], timeoutMs: 10_000 } as const;

/** Each makes, alters or removes something in the folder. */
const actions = (): Readonly<Record<string, Action>> => ({
  run: { do: 'run', command: { ...run, argv: ['touch', at('made')] }, expect: { exit: [0] } },
  'run with input': {
    do: 'run',
    command: { ...run, argv: ['sh', '-c', `cat >${at('made')}`], stdin: 'text' },
    expect: { exit: [0] },
  },
  write: { do: 'write', path: at('made'), content: 'text', replaces: 'nothing' },
  'a large write': { do: 'write', path: at('made'), content: 'text'.repeat(20_000), replaces: 'nothing' },
  upload: { do: 'upload', source: at('source'), path: at('made'), sha256: sha256('source') },
  directory: { do: 'directory', path: at('made') },
  copy: { do: 'copy', from: at('source'), to: at('made') },
  move: { do: 'move', from: at('source'), to: at('made') },
  link: { do: 'link', path: at('made'), target: at('source') },
  remove: { do: 'remove', path: at('source') },
});
describe.each([
  ...['run', 'run with input', 'write', 'a large write', 'upload', 'directory', 'copy', 'move', 'link', 'remove'],
])('%s', (name) => {
  beforeEach(() => writeFileSync(at('source'), 'source'));
  const act = (): Promise<Outcome> => perform(actions()[name] as Action);

  test('is done under the own lease', async () => {
    writeFileSync(at('lease'), `${OURS}\n`);
    expect((await act()).is).toMatch(/^(applied|ended)$/);
    expect(readdirSync(shop.folder)).not.toEqual(['lease', 'source']);
  });

  test('leaves the marker beside it, in place of the one before, and says nothing of it', async () => {
    writeFileSync(at('lease'), `${OURS}\n`);
    const outcome = await act();
    writeFileSync(at('source'), 'source');
    rmSync(at('made'), { recursive: true, force: true });
    expect(await perform(actions()[name] as Action, 'lease', "it's 1")).toEqual(outcome);
    rmSync(at('made'), { recursive: true, force: true });
    writeFileSync(at('source'), 'source');
    await perform(actions()[name] as Action, 'lease', "it's 2");
    expect(readFileSync(at('lease.journal'), 'utf8')).toBe("it's 2\n");
  });

  test('is done where the marker cannot be written', async () => {
    writeFileSync(at('lease'), `${OURS}\n`);
    mkdirSync(at('lease.journal'));
    const outcome = await perform(actions()[name] as Action, 'lease', 'marker');
    expect(outcome.is).toMatch(/^(applied|ended)$/);
    expect(JSON.stringify(outcome)).not.toMatch(/lease/);
  });

  test.each([
    ['another one', `${OURS} \n`],
    ['an empty one', ''],
  ])('is refused where the host has %s', async (_what, text) => {
    writeFileSync(at('lease'), text);
    expect(await perform(actions()[name] as Action, 'lease', 'marker')).toMatchObject({ is: 'refused', by: 'fence' });
    expect([readdirSync(shop.folder), readFileSync(at('source'), 'utf8')]).toEqual([['lease', 'source'], 'source']);
  });

  test('is refused where the host has none', async () => {
    const staged = (): readonly string[] => readdirSync('/tmp').filter((file) => file.startsWith('runbook-upload-'));
    const before = staged();
    expect(await act()).toMatchObject({ is: 'refused', by: 'fence' });
    expect([readdirSync(shop.folder), staged().filter((file) => !before.includes(file))]).toEqual([['source'], []]);
  });
});

test('the status that says so is not taken for that of a program, nor the other way round', async () => {
  writeFileSync(at('lease'), `${OURS}\n`);
  const command = { ...run, argv: ['sh', '-c', 'exit 95'] } as const;
  expect(await perform({ do: 'run', command, expect: { exit: [0] } })).toMatchObject({ is: 'ended', exit: 95 });
});

test('a lease that is a folder is none', async () => {
  mkdirSync(at('lease'));
  expect(await perform({ do: 'directory', path: at('made') })).toMatchObject({ is: 'refused', by: 'fence' });
});

describe('the marker beside a lease', () => {
  const swap = (expected: string, wanted: string, withMarker?: boolean) =>
    shop.machine.swap('here', at('lease'), expected, wanted, withMarker);

  test('is read with the lease, kept when the lease is removed, and removed with it where that is asked for', async () => {
    writeFileSync(at('lease.journal'), `${'marker'.padEnd(480)}\n`);
    expect(await swap('', OURS)).toEqual({ is: 'swapped', marker: 'marker' });
    expect(await swap('', 'theirs')).toEqual({ is: 'found', text: OURS, marker: 'marker' });
    expect([await swap(OURS, ''), readdirSync(shop.folder)]).toEqual([
      { is: 'swapped', marker: 'marker' },
      ['lease.journal'],
    ]);
    await swap('', OURS);
    await swap('another', '', true);
    expect(readdirSync(shop.folder)).toEqual(['lease', 'lease.journal']);
    await swap(OURS, '', true);
    expect(readdirSync(shop.folder)).toEqual([]);
  });

  test.each([
    ['a folder', () => mkdirSync(at('lease.journal')), undefined],
    ['a named pipe', () => void execFileSync('mkfifo', [at('lease.journal')]), undefined],
    ['a device that never ends', () => symlinkSync('/dev/zero', at('lease.journal')), undefined],
    ['empty', () => writeFileSync(at('lease.journal'), ''), ''],
    ['large', () => writeFileSync(at('lease.journal'), 'x'.repeat(3_000_000)), 'x'.repeat(1024)],
    [
      'like an answer of the shell',
      () => writeFileSync(at('lease.journal'), '\nfound theirs\0\nswapped\nmarker y\n'),
      'found theirsswappedmarker y',
    ],
  ])('that is %s neither harms nor feigns anything', async (_what, make, marker) => {
    make();
    expect(await swap('', OURS)).toEqual({ is: 'swapped', ...(marker === undefined ? {} : { marker }) });
    expect(readFileSync(at('lease'), 'utf8')).toBe(`${OURS}\n`);
  });
});
