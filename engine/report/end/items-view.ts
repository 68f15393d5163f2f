import { count } from '../../lib/count.js';
import type { Event, Recorded } from '../../terms/event.js';
import { isObject } from '../../terms/json.js';
import { printableLine, type Terminal, type Style } from '../style.js';
import { cut } from '../width.js';

type Item = Extract<Event, { readonly e: 'item' }>;

/** An operator reads so many rows; the rest is in the CSV. */
const ROWS = 20;

/** What the items of a run came to, each once, by what was said of it last. */
export function itemsOf(events: readonly Recorded[]): readonly Item[] {
  const items = new Map<string, Item>();
  for (const { event } of events) if (event.e === 'item') items.set(`${event.task.step} ${event.item}`, event);
  return [...items.values()];
}

/** Those that are not done, failures first, as a table of at most twenty rows; nothing where all are. */
export function leftTable(
  events: readonly Recorded[],
  { width }: Pick<Terminal, 'width'>,
  style: Style,
): readonly string[] {
  const items = itemsOf(events);
  const failed = items.filter(({ is }) => is === 'failed');
  const left = items.filter(({ is }) => is === 'left');
  const rows = [...failed, ...left];
  if (rows.length === 0) return [];
  const cells = rows
    .slice(0, ROWS)
    .map((item) => [item.item, textOf(item, 'name'), textOf(item, 'version'), item.is, item.reason ?? '']);
  const widths = [0, 1, 2, 3].map((i) => Math.max(...cells.map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    cut(
      `  ${row.map((cell, i) => printableLine(cell).padEnd(widths[i] ?? 0)).join('  ')}`.trimEnd(),
      Math.max(40, width),
    );
  const sums = [
    ...(failed.length === 0 ? [] : [`${failed.length} failed`]),
    ...(left.length === 0 ? [] : [`${left.length} unchanged`]),
  ];
  return [
    style.bold(`${stepsOf(items)}: of ${count(items.length, 'item')} ${sums.join(', ')}:`),
    ...cells.map(line),
    ...(rows.length > ROWS ? [`  and ${rows.length - ROWS} more: runbook show --items-csv`] : []),
  ];
}

/** The names of the steps whose items they are. */
const stepsOf = (items: readonly Item[]): string =>
  [...new Set(items.map(({ task }) => printableLine(task.step.split('/').at(-1) ?? '')))].join(', ');

/** All of them as CSV (RFC 4180), those that are done too: for the next shift, or a spreadsheet. */
export function itemsCsv(events: readonly Recorded[]): string {
  const rows = itemsOf(events).map((item) => [
    item.item,
    textOf(item, 'name'),
    textOf(item, 'version'),
    item.is,
    item.reason ?? '',
    item.batch ?? '',
  ]);
  return [['id', 'name', 'version', 'result', 'reason', 'batch'], ...rows]
    .map((row) => `${row.map(cell).join(',')}\r\n`)
    .join('');
}

function textOf({ value = null }: Item, key: string): string {
  const text = isObject(value) ? value[key] : undefined;
  return typeof text === 'string' ? text : '';
}

/** Names come from hosts: what a spreadsheet would take for a formula is led by an apostrophe. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
