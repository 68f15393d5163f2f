import { afterEach, expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import { bench, settledOf } from './bench-hosts.js';

let shop: ReturnType<typeof bench> | undefined;
afterEach(async () => {
  await shop?.end();
  shop = undefined;
});

const THERE = 'file: { path: "@/x", state: file, content: there }';
const DELETED = `- step: an operator deletes it
        when: host.name == "a"
        command: { argv: [rm, "@/x"], changes: [], timeout: 10s }`;
/** What the later plays begin with. */
const FIRST = `
playbook: P
plays:
  - play: First
    hosts: a
    steps:
      - step: make
        ${THERE}
`;

test('what one play of an apply read on a host is not believed in a later one', async () => {
  const { run, path } = (shop = bench(
    `${FIRST}  - play: Look
    hosts: all
    steps:
      - step: there
        ${THERE}
  - play: Delete
    hosts: all
    steps:
      ${DELETED}
  - play: Later
    hosts: b
    steps:
      - step: make again
        ${THERE}
`,
    ['a', 'b'],
  ));
  expect(settledOf(await run('apply'))).toContain('b make again: done');
  expect(existsSync(path('x'))).toBe(true);
});

test('nor what a serial play read before the turn of a host', async () => {
  const { run } = (shop = bench(
    `${FIRST}  - play: Each
    hosts: all
    serial: 1
    when: hosts.all.exists(h, h.fact.x != "other")
    steps:
      ${DELETED}
      - step: make again
        when: host.name == "b"
        ${THERE}
`,
    ['a', 'b'],
    '  x: { description: The file, file: "@/x", default: "" }\n',
  ));
  expect(settledOf(await run('apply'))).toContain('b make again: done');
});
