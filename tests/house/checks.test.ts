import { expect, test } from '@jest/globals';
import { REASONS, SAME } from '../tools/check-reasons.js';
import { checkRows, COLUMNS, reasonOf } from '../tools/check-rows.js';

const rows = await checkRows();
const empty = rows.flatMap((row) =>
  COLUMNS.filter((column) => !row.cells.has(column)).map((column) => ({ row, reason: reasonOf(row, column), column })),
);

test('each check that a command does not make has a reason', () => {
  expect(rows.length).toBeGreaterThan(100);
  expect(empty.filter(({ reason }) => reason === -1).map(({ row, column }) => `${row.title}: ${column}`)).toEqual([]);
});

test('each reason, and each title in one, is of an empty cell', () => {
  const unused = REASONS.flatMap(({ reason, of }, i) => {
    const titles = new Set(empty.filter((one) => one.reason === i).map(({ row }) => row.title));
    if (titles.size === 0) return [reason];
    return 'titles' in of ? of.titles.filter((title) => !titles.has(title)) : [];
  });
  expect(unused).toEqual([]);
});

test('titles that mean the same are of one row', () => {
  const merged = Object.entries(SAME).flatMap(([title, names]) => names.map((name) => ({ title, name })));
  expect(
    merged.filter(({ title, name }) => !rows.some((row) => row.title === title && row.names.includes(name))),
  ).toEqual([]);
});
