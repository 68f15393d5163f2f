import { afterEach, expect, test } from '@jest/globals';
import { existsSync, writeFileSync } from 'node:fs';
import { bench } from './bench-hosts.js';

let shop: ReturnType<typeof bench> | undefined;
afterEach(async () => {
  await shop?.end();
  shop = undefined;
});

const DRAINED = '@/drained-{{host.name}}';
const passesWithout = (file: string): string =>
  `command: { argv: [test, "!", -e, "@/${file}-{{host.name}}"], changes: everything, timeout: 10s }`;
/** Each host is drained, upgraded and left drained: only the end of the run returns it. */
const ROLLING = (loop: string): string => `
playbook: P
plays:
  - play: Upgrade each server
    hosts: all
    serial: 1
    steps:
      - step: Drain
        command: { argv: [touch, "${DRAINED}"], creates: "${DRAINED}", changes: ["${DRAINED}"], timeout: 10s }
        temporary:
          no_restore_after: upgraded
          command: { argv: [rm, "${DRAINED}"], unless: { argv: [test, "!", -e, "${DRAINED}"] }, changes: ["${DRAINED}"], timeout: 10s }
      - step: Wait for its sessions
        ${passesWithout('sessions')}
      - step: Upgrade
        id: upgraded${loop}
        ${passesWithout('broken')}
`;

test.each([
  ['a step', ''],
  ['a step with a loop', '\n        loop: [one, two]'],
])('no_restore_after names %s of the same play: it counts on each host by itself', async (_what, loop) => {
  const { run, path } = (shop = bench(ROLLING(loop), ['a', 'b']));
  const drained = (): readonly boolean[] => ['a', 'b'].map((host) => existsSync(path(`drained-${host}`)));
  writeFileSync(path('sessions-b'), '');
  expect((await run('apply')).end).toBe('failed');
  expect(drained()).toEqual([true, false]);
});

test.each([
  ['a step', ''],
  ['a step with a loop', '\n        loop: [one, two]'],
])('a host on which %s that no_restore_after names began and failed is not restored', async (_what, loop) => {
  const { run, path } = (shop = bench(ROLLING(loop), ['a', 'b']));
  writeFileSync(path('broken-a'), '');
  const ran = await run('apply');
  expect([ran.end, existsSync(path('drained-a'))]).toEqual(['failed', true]);
  expect(ran.events.at(-1)).toMatchObject({ notRestored: [{ name: 'Drain' }] });
});
