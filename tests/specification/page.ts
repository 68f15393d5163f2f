import path from 'node:path';
import type { Carried, Carrier } from './carriers.js';
import type { Section } from './items.js';
import type { Tried } from './judge.js';

/** Scenarios of tests/mutate that turn red without a step that carries an item, by its key. */
export type Asserted = Readonly<Record<string, readonly string[]>>;

const HEAD = `<!-- Made by \`npm run docs\` from specification.items.yaml, specification.tests.yaml, specification.asserted.yaml, playbooks/ and the engine's docstrings. -->

# The specification, item by item

What carries each item of the upgrade's specification (release line 4.14), and the tests of it: *asserted* names the scenarios of tests/mutate that fail when
a step that carries the item is removed (\`npm run mutate -- --carriers\`); *exercised* names tests that saw a carrier at work, and may not fail without it. \`npm run check\` fails when an item has neither a
carrier nor a reason, when a key that \`spec:\` or a docstring names is none of these, and when no journal kept from the test runs has an event of a
carrier. How to add an item: the head of [specification.items.yaml](specification.items.yaml).`;

/** docs/specification.md: a table for each section, and how many items are carried, wait or have a reason. */
export function pageOf(
  sections: readonly Section[],
  carried: readonly Carried[],
  { tried, asserted }: { readonly tried: Tried; readonly asserted: Asserted },
): string {
  const byKey = new Map(carried.map((one) => [one.item.key, one]));
  const parts = sections.map(({ key, title, items }) => {
    const rows = items.map(({ key }) => rowOf(byKey.get(key), tried[key] ?? [], asserted[key] ?? []));
    const table = ['| Item | What | Carried by | Tests |', '| --- | --- | --- | --- |', ...rows].join('\n');
    return `## §${key} ${title}${items.length === 0 ? '' : `\n\n${table}`}`;
  });
  return `${[HEAD, countOf(carried, asserted), ...parts].join('\n\n')}\n`;
}

function countOf(carried: readonly Carried[], asserted: Asserted): string {
  const have = carried.filter((one) => one.carriers.length > 0);
  const later = carried.filter(({ item }) => item.later !== undefined);
  const reason = carried.filter((one) => one.carriers.length === 0 && one.item.reason !== undefined);
  return `${carried.length} items: ${have.length} carried, ${reason.length} with a reason why not; of ${later.length} something is still to come. ${Object.keys(asserted).length} are asserted.`;
}

function rowOf(one: Carried | undefined, tests: readonly string[], scenarios: readonly string[]): string {
  if (one === undefined) return '';
  const { item, carriers } = one;
  const by = [
    ...grouped(carriers),
    ...(item.later === undefined ? [] : [`*later:* ${item.later}`]),
    ...(item.reason === undefined ? [] : [`*${carriers.length === 0 ? 'not carried' : 'but'}:* ${item.reason}`]),
  ];
  const names = tests.map((file) => `[${path.basename(file).replace('.test.ts', '')}](../${file})`);
  const tried = [
    ...(scenarios.length === 0 ? [] : [`asserted: ${scenarios.join('; ')}`]),
    ...(names.length === 0 ? [] : [`exercised: ${names.join(', ')}`]),
  ];
  const cells = [`<a id="${item.key}"></a>${item.key}`, item.text, by.join('<br>'), tried.join('<br>')];
  return `| ${cells.map(cell).join(' | ')} |`;
}

/** A link for each file, with the plays, steps and facts of it that carry the item. */
function grouped(carriers: readonly Carrier[]): readonly string[] {
  const files = [...new Set(carriers.map(({ file }) => file))];
  return files.map((file) => {
    const labels = carriers.filter((c) => c.file === file && c.label !== '').map(({ label }) => label);
    const shown = file.replace(/^(playbooks|engine)\//, '').replace(/\.(yaml|ts)$/, '');
    return `[${shown}](../${file})${labels.length === 0 ? '' : `: ${labels.join('; ')}`}`;
  });
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ');
