import { afterEach, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import type { Reader } from '../../engine/terms/machine.js';
import { bench, settledOf } from './bench-hosts.js';

let shop: ReturnType<typeof bench> | undefined;
afterEach(async () => {
  await shop?.end();
  shop = undefined;
});

const file = (name: string, content: string): string => `- step: ${name}
        file: { path: "@/${name}", state: file, content: ${content} }`;

/** The paths that each question asked for, in their order. */
function counted(): { readonly asked: string[][]; readonly reader: (real: Reader) => Reader } {
  const asked: string[][] = [];
  const reader = (real: Reader): Reader => ({
    ask: (needs, how) => {
      asked.push(needs.flatMap(({ key }) => /(\w+)$/.exec(key)?.[1] ?? []));
      return real.ask(needs, how);
    },
  });
  return { asked, reader };
}

test('what coming steps read is asked with the first question, and again with the one that checks an action', async () => {
  const { run, path } = (shop = bench(
    `
playbook: P
plays:
  - play: Files
    hosts: a
    steps:
      ${file('one', 'new')}
      ${file('two', 'there')}
      ${file('three', 'there')}
      - step: skipped
        when: fact.x != "there"
        file: { path: "@/four", state: file, content: new }
      ${file('five', 'there')}
`,
    ['a'],
    '  x: { description: The file, file: "@/x", default: "" }\n',
  ));
  for (const name of ['x', 'two', 'three', 'five']) writeFileSync(path(name), 'there');
  const { asked, reader } = counted();
  const ran = await run('apply', { reader });
  expect(settledOf(ran)).toContain('a one: done');
  const files = asked.filter((names) => names.includes('one') || names.includes('two'));
  expect(files.map((names) => [...new Set(names)].sort())).toEqual([
    ['five', 'one', 'three', 'two', 'x'],
    ['five', 'one', 'three', 'two', 'x'],
  ]);
});
