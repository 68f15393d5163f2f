import { describe, expect, test } from '@jest/globals';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { failureScreen } from './failed-run.js';
import { FAILURES } from './failures.js';

const folder = join(import.meta.dirname, 'failures');
const fileOf = (name: string): string => join(folder, `${name}.txt`);

/** Hosts that work side by side take their turns in no fixed order, so the model's clock may differ by a second. */
const untimed = (text: string): string =>
  text
    .replace(/ in (?:\d+ \w+ ?)+\.$/m, ' in TIME.')
    .replace(/(since|at) \d\d:\d\d/g, '$1 TIME')
    .replaceAll('server-2, server-1', 'server-1, server-2');

/** Rows whose words must all be there: what failed, what to do, what is down, what can be typed. */
const WHOLE = /^(?:FAILED|FIX|LOOK|DOWN|STATUS|WAIT|NEXT) /;

describe('the last 15 lines of a failure', () => {
  // Written by `UPDATE_SCREENS=1 npm run jest -- tests/report/failure-screens.test.ts`; read what it wrote.
  test.each(Object.entries(FAILURES))('%s', async (name, failure) => {
    const screenOf = await failureScreen(failure);
    const lines = screenOf(100);
    expect(lines.slice(1).length).toBeLessThanOrEqual(15);
    expect(lines.slice(1).filter((line) => line.length > 100)).toEqual([]);
    const screen = `${lines.join('\n')}\n`;
    if (process.env['UPDATE_SCREENS'] !== undefined) writeFileSync(fileOf(name), screen);
    expect(untimed(existsSync(fileOf(name)) ? readFileSync(fileOf(name), 'utf8') : '')).toBe(untimed(screen));

    const narrow = screenOf(80).slice(1);
    expect(narrow.length).toBeLessThanOrEqual(15);
    // An address is not cut in two.
    expect(narrow.filter((line) => line.length > 80 && !/ https?:\S+$/.test(line))).toEqual([]);
    const rows = narrow.join('\n').split(/\n(?=[A-Z])/);
    expect(rows.filter((row) => WHOLE.test(row) && row.includes('…'))).toEqual([]);
    // The terminal wraps what would be cut off.
    expect(screenOf(20)).toEqual(screenOf(60));
  });

  test('the upgrade night shows one of them', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/upgrade-night.md'), 'utf8');
    const shown = readFileSync(fileOf('indexer-java-option'), 'utf8').trimEnd().split('\n').slice(1);
    expect(page).toContain(shown.map((line) => `    ${line}`).join('\n'));
  });

  test('every file is of a failure', () => {
    expect(readdirSync(folder).sort()).toEqual(
      Object.keys(FAILURES)
        .map((name) => `${name}.txt`)
        .sort(),
    );
  });
});
