import { afterEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { bench } from './bench-hosts.js';

let shop: ReturnType<typeof bench> | undefined;
afterEach(async () => {
  await shop?.end();
  shop = undefined;
});

/** What a plan, and then an apply, say of each step: `undecided`, or what would be (was) done. */
async function told(steps: string, prepare: (path: (name: string) => string) => void = () => undefined) {
  const playbook = `playbook: P\nplays:\n  - play: One\n    hosts: a\n    steps:\n${steps}`;
  const { run, path } = (shop = bench(playbook, ['a']));
  prepare(path);
  const planned = (await run('plan')).events.flatMap((e) =>
    e.e === 'undecided' ? [`${e.name}: undecided`] : e.e === 'checked' ? [`${e.name}: ${e.because}`] : [],
  );
  const made = (await run('apply')).events.flatMap((e) => (e.e === 'intent' ? [`${e.name}: ${e.change.summary}`] : []));
  return { planned, made };
}
const step = (name: string, args: string): string => `      - step: ${name}\n        file: { ${args} }\n`;
const MAKE = step('make', 'path: "@/d", state: directory');

describe('below a directory that a plan would make', () => {
  test('nothing is there yet: what goes into it is known, file by file', async () => {
    const { planned, made } = await told(
      `${MAKE}${step('one', 'path: "@/d/one", state: file, content: "1"')}${step('two', 'path: "@/d/two", state: file, content: "2"')}${step('none', 'path: "@/d/none", state: absent')}`,
    );
    expect(planned).toEqual(made);
    expect(planned).toHaveLength(3);
  });

  test('a directory in it, and a file in that', async () => {
    const { planned, made } = await told(
      `${MAKE}${step('inner', 'path: "@/d/e", state: directory')}${step('one', 'path: "@/d/e/one", state: file, content: "1"')}`,
    );
    expect(planned).toEqual(made);
    expect(planned).toHaveLength(3);
  });
});

test('below a directory that would be gone, nothing is left', async () => {
  const { planned, made } = await told(
    `${step('gone', 'path: "@/d", state: absent, tree: true')}${step('in it', 'path: "@/d/one", state: absent')}`,
    (path) => {
      mkdirSync(path('d'));
      writeFileSync(path('d/one'), '1');
    },
  );
  expect(planned).toEqual(made);
  expect(planned).toHaveLength(1);
});

test('what a predicted tree holds is not known by that alone, nor what lies behind its links', async () => {
  const copy = `      - step: keep\n        backup: { paths: ["@/d"], to: "@/kept" }\n`;
  const { planned } = await told(
    `${copy}${step('there', 'path: "@/kept@/d/one", state: absent')}${step('behind', 'path: "@/kept@/d/link/x", state: absent')}`,
    (path) => {
      mkdirSync(path('d'));
      writeFileSync(path('d/one'), '1');
      symlinkSync('/etc', path('d/link'));
    },
  );
  expect(planned.slice(1)).toEqual(['there: undecided', 'behind: undecided']);
});
