import { afterEach, expect, test } from '@jest/globals';
import { type Harness, localHarness, onePlay, PLATFORM, touch } from './cli-harness.js';

let harness: Harness | undefined;
afterEach(() => {
  harness?.end();
  harness = undefined;
});

const FACTS = 'facts:\n  gone: { description: What a program says, command: ["false"] }\n';
const INVENTORY = 'platform: {}\nendpoints: {}\nsecrets: {}\nhosts:\n  a: { address: 127.0.0.1, machine: local }\n';
/** Nothing listens on port 1. */
const AWAY = `${INVENTORY}  b: { address: 127.0.0.1, ssh: { user: root, port: 1, connect_timeout: 5s, known_hosts: none } }\n`;
const check = (that: string): string =>
  `      - step: It is so\n        check: { that: '${that}', message: it is not }\n`;

/** As docs/quick-start.md has them: what a plan ends with, and its last lines. */
test.each<readonly [number, string, string, RegExp]>([
  [0, 'a plan that can be applied', onePlay(touch('one', 'one')), /To apply: +runbook apply test\.yaml/],
  [3, 'a check that fails', onePlay(check('1 > 2')), /Refused: 1 check failed\. Nothing was changed\./],
  [
    3,
    'a directory that is missing',
    onePlay('      - { step: Write it, file: { path: "@/no/new", state: file, content: x } }\n'),
    /there is no directory .*\/no, and no step before this one makes it[^]*Refused: 1 check failed\. Nothing was changed\./,
  ],
  [
    4,
    'a condition that cannot be read',
    onePlay(touch('one', 'one'), 'when: hosts.all.exists(h, h.fact.gone == "x")'),
    /condition of the play "Work": cannot be read[^]*Refused: the plan is not complete\./,
  ],
  [2, 'a playbook with a mistake', onePlay('      - { step: Write it, fill: {} }\n'), /^$/],
])('plan ends with %i: %s', async (code, _what, playbook, last) => {
  harness = localHarness(playbook);
  harness.write('platform.yaml', PLATFORM.replace('facts: {}\n', FACTS));
  const ran = await harness.run(['plan', 'test.yaml']);
  expect([ran.exitCode, ran.stdout]).toEqual([code, expect.stringMatching(last)]);
});

test.each<readonly [number, string, string, RegExp]>([
  [4, 'a host that is away', 'serial: 1', /Refused: the plan is not complete\./],
  [4, 'a host that is away, which the run does without', 'on_host_failure: continue', /To apply: +runbook apply/],
])('plan ends with %i: %s', async (code, _what, play, last) => {
  harness = localHarness(onePlay(touch('one', 'one'), play));
  harness.write('inventory.yaml', AWAY);
  harness.write(
    'platform.yaml',
    PLATFORM.replace('components: []', 'components: [bash]').replace('names: {}', 'names: { bash: { package: bash } }'),
  );
  const ran = await harness.run(['plan', 'test.yaml']);
  expect([ran.exitCode, ran.stdout]).toEqual([code, expect.stringMatching(last)]);
});
