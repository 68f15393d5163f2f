import { afterAll, describe, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseHolder, stateOf, thisHolder } from '../../engine/journal/holder.js';
import { seal } from '../../engine/lib/sealed.js';
import { holdersOf, takeLock } from '../../engine/journal/lock.js';

const root = mkdtempSync(join(tmpdir(), 'runbook-lock-'));
afterAll(() => rmSync(root, { recursive: true }));
let folders = 0;
const newFolder = (): string => join(root, String((folders += 1)));
const me = () => thisHolder('apply', '/i.yaml', Date.now());
const soon = () => new Promise((resolve) => setImmediate(resolve));

describe('a lock', () => {
  test('goes to exactly one of many that come together, and to another one once it is released', async () => {
    for (let round = 0; round < 20; round += 1) {
      const folder = newFolder();
      const taken = await Promise.all(Array.from({ length: 8 }, () => takeLock(folder, me(), soon)));
      const [lock, ...more] = taken.flatMap((t) => ('takenBy' in t ? [] : [t]));
      expect([more, holdersOf(folder)]).toEqual([[], [lock?.holder]]);
      lock?.release();
      expect(lock?.isHeld()).toBe(false);
      expect('takenBy' in (await takeLock(folder, me(), soon))).toBe(false);
    }
  });

  test('of a process that has ended is removed; an empty one is kept, because its owner is not known', async () => {
    const folder = newFolder();
    mkdirSync(folder);
    writeFileSync(join(folder, 'a.held'), JSON.stringify({ ...me(), token: 'a', start: 'before' }));
    const lock = await takeLock(folder, me(), soon);
    if ('takenBy' in lock) throw new Error('it was taken by a process that has ended');
    expect(readdirSync(folder)).toEqual([`${lock.holder.token}.held`]);
    lock.release();
    writeFileSync(join(folder, 'b.held'), '');
    expect(await takeLock(folder, me(), soon)).toMatchObject({ takenBy: { token: 'b', machine: 'unknown' } });
    expect(readdirSync(folder)).toEqual(['b.held']);
  });
});

describe('the file of a lock whose process works', () => {
  const other = { ...me(), token: 'f'.repeat(36) };
  const takenWith = async (damage: (text: string, file: string) => string): Promise<unknown> => {
    const folder = newFolder();
    const lock = await takeLock(folder, { ...me(), token: 'a' }, soon);
    if ('takenBy' in lock) throw new Error('taken');
    const file = join(folder, 'a.held');
    writeFileSync(file, damage(readFileSync(file, 'utf8'), file));
    return takeLock(folder, other, soon);
  };
  const DAMAGED = { takenBy: { token: 'a', pid: 0, file: { is: 'damaged' } } };

  test.each<[string, (text: string) => string]>([
    ['another process id', (text) => text.replace('"pid":', '"pid":9')],
    ['another start', (text) => text.replace('"start":"', '"start":"9')],
    ['a checksum that is none', (text) => text.replace('"sum"', '"som"')],
    ['a cut end', (text) => text.slice(0, -9)],
    ['zeros', (text) => text.slice(0, 60) + '\0'.repeat(text.length - 60)],
    ['the text of another lock', (text) => seal(JSON.stringify({ ...JSON.parse(text), token: 'b', sum: undefined }))],
  ])('%s: is not taken for the lock of a process that has ended', async (_what, damage) => {
    expect(await takenWith(damage)).toMatchObject(DAMAGED);
  });

  test('as an earlier version wrote it: the process is known, and that damage would not be noticed', async () => {
    expect(await takenWith(() => JSON.stringify({ ...me(), token: 'a' }))).toMatchObject({
      takenBy: { token: 'a', pid: process.pid, file: { is: 'unsummed' } },
    });
  });
});

test.each([
  ['this process', {}, 'alive'],
  ['another process of the same id', { start: '1' }, 'ended'],
  ['a process id that no process has', { pid: 2 ** 22 + 1 }, 'ended'],
  ['a process of another container', { pidSpace: 'pid:[1]' }, 'elsewhere'],
  ['this machine before it was started again', { boot: 'before', sinceMs: 1000, machineId: me().machineId }, 'ended'],
  ['a copy of this machine, while this one was up', { boot: 'its own' }, 'elsewhere'],
  ['a machine of another name', { boot: 'its own', machine: 'ctl-2', sinceMs: 1000 }, 'elsewhere'],
  ['a machine that has no id', { boot: 'before', machineId: '', sinceMs: 1000 }, 'elsewhere'],
])('the state of %s', (_what, other, state) => {
  // A container may have no id of its machine.
  if (me().machineId === '' && 'machineId' in other && other.machineId === '' && state === 'ended') return;
  expect(stateOf({ ...me(), ...other })).toBe(state);
  expect(parseHolder(JSON.stringify({ ...me(), ...other }), 't')).toMatchObject(other);
});
