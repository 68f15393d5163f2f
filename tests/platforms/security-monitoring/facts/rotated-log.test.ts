import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, rmSync, statSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { rotatedLog, type RotatedLog } from '../../../../engine/platforms/security-monitoring/facts/rotated-log.js';
import { localHost, workshop } from '../../../machines/local-host.js';

/** A manager's alert files by the day, the oldest first, as it leaves them: today's is the log itself. Asked through the engine's own shell. */
const shop = workshop(localHost, [rotatedLog]);
afterAll(() => shop.end());

const question = {
  file: shop.path('alerts.json'),
  rotated: shop.path('%Y-%m-alerts-%d.json'),
  directory: shop.path('kept'),
};
const at = (daysAgo: number): Date => new Date(Date.now() - daysAgo * 86_400_000);
/** As date(1) says it here. */
const date = (daysAgo: number, format: string): string =>
  execFileSync('date', ['-d', `@${Math.floor(at(daysAgo).getTime() / 1000)}`, `+${format}`], {
    encoding: 'utf8',
  }).trim();
const fileOf = (daysAgo: number): string => shop.path(date(daysAgo, '%Y-%m-alerts-%d.json'));

async function asked(): Promise<RotatedLog> {
  const got = await shop.ask(rotatedLog, question);
  if (got.is !== 'value') throw new Error(JSON.stringify(got));
  return got.value as unknown as RotatedLog;
}

/** Files of these days; the log has a second name since the oldest. */
function written(days: readonly number[]): void {
  for (const day of days) {
    writeFileSync(fileOf(day), `the first of ${day}\nanother\n`);
    utimesSync(fileOf(day), at(day), at(day));
  }
  const [first = 0] = days;
  mkdirSync(`${question.directory}/data`, { recursive: true });
  linkSync(fileOf(first), `${question.directory}/alerts.json`);
  linkSync(fileOf(days.at(-1) ?? 0), question.file);
}
const compress = (daysAgo: number): void => {
  execFileSync('gzip', ['-f', fileOf(daysAgo)]);
};
const inode = (path: string): string => String(statSync(path).ino);

describe('a log that is kept while its shipper is away', () => {
  beforeEach(() => {
    execFileSync('sh', ['-c', 'rm -rf "$1"/*', 'sh', shop.path('.')]);
  });

  test('is there or is not', async () => {
    expect(await asked()).toEqual({ log: null, kept: null, data: false, days: [] });
    writeFileSync(question.file, 'one\n');
    expect(await asked()).toEqual({ log: inode(question.file), kept: null, data: false, days: [] });
  });

  test('on the same day is what is written now', async () => {
    written([0]);
    const own = inode(question.file);
    expect(await asked()).toEqual({ log: own, kept: own, data: true, days: [] });
  });

  test('after one midnight there is no day between, compressed or not', async () => {
    written([1, 0]);
    expect(await asked()).toMatchObject({ log: inode(question.file), kept: inode(fileOf(1)), days: [] });
    compress(1);
    expect((await asked()).days).toEqual([]);
  });

  test('after several, each day between is reported: compressed, plain, taken in already, half taken in, gone', async () => {
    written([6, 5, 4, 3, 2, 1, 0]);
    for (const day of [6, 5, 3, 2]) compress(day);
    unlinkSync(fileOf(1));
    for (const name of [date(3, '%F'), date(2, '%F')]) writeFileSync(`${question.directory}/${name}.json`, '');
    writeFileSync(`${question.directory}/${date(2, '%F')}.json.gz`, '');
    expect((await asked()).days).toEqual([
      { day: date(5, '%F'), is: 'there', file: `${fileOf(5)}.gz` },
      { day: date(4, '%F'), is: 'there', file: fileOf(4) },
      { day: date(3, '%F'), is: 'ready', file: `${fileOf(3)}.gz` },
      { day: date(2, '%F'), is: 'there', file: `${fileOf(2)}.gz` },
      { day: date(1, '%F'), is: 'missing', file: fileOf(1) },
    ]);
  });

  test('where nothing was written today yet, the log is still yesterday’s and is no day between', async () => {
    written([2, 1]);
    compress(1);
    expect((await asked()).days).toEqual([]);
  });

  test('where it is empty, it is no day of its own', async () => {
    written([1, 0]);
    writeFileSync(fileOf(1), '');
    utimesSync(fileOf(1), at(1), at(1));
    rmSync(question.file);
    writeFileSync(question.file, '');
    expect((await asked()).days).toEqual([]);
  });
});
