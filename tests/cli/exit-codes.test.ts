import { existsSync } from 'node:fs';
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
/** Its hosts are asked for versions before anything changes. */
const WITH_VERSIONS = PLATFORM.replace('components: []', 'components: [bash]').replace(
  'names: {}',
  'names: { bash: { package: bash } }',
);
/** Nothing is refused, and nothing failed: the host that is left out is named as that. */
const WITHOUT = /^(?![^]*(?:Refused|failed))[^]*AWAY +1 +b: left out[^]*To apply: +runbook apply/;
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

test.each<readonly [number, string, string, RegExp, string]>([
  [4, 'a host that is away', 'serial: 1', /Refused: the plan is not complete\./, WITH_VERSIONS],
  [4, 'a host that is away, which the run does without', 'on_host_failure: continue', WITHOUT, WITH_VERSIONS],
  [4, 'one that is found away by its first step', 'on_host_failure: continue', WITHOUT, PLATFORM],
])('plan ends with %i: %s', async (code, _what, play, last, platform) => {
  harness = localHarness(onePlay(touch('one', 'one'), play));
  harness.write('inventory.yaml', AWAY);
  harness.write('platform.yaml', platform);
  const ran = await harness.run(['plan', 'test.yaml']);
  expect([ran.exitCode, ran.stdout]).toEqual([code, expect.stringMatching(last)]);
});

const FAILS = '      - { step: Fail, command: { argv: ["false"], changes: [], timeout: 10s } }\n';

/** As docs/troubleshooting.md has them: what an apply ends with, one of its lines, and whether the step before was done. */
test.each<readonly [number, string, string, readonly string[], RegExp, boolean]>([
  [0, 'every step done', onePlay(touch('one', 'one')), ['-y'], /^✓ Try: done in /m, true],
  [1, 'a step that fails', onePlay(touch('one', 'one') + FAILS), ['-y'], /^FAILED /m, true],
  [
    2,
    'a playbook with a mistake',
    onePlay('      - { step: Write it, fill: {} }\n'),
    ['-y'],
    /there is no module/,
    false,
  ],
  [2, 'an unknown option', onePlay(touch('one', 'one')), ['-y', '--forse'], /apply has no option --forse/, false],
  [
    3,
    'a check that fails',
    onePlay(touch('one', 'one') + check('1 > 2')),
    ['-y'],
    /^Refused\. Nothing was changed\.$/m,
    false,
  ],
  [2, 'no terminal, and no -y', onePlay(touch('one', 'one')), [], /-y/, false],
  [
    4,
    'a condition that cannot be read',
    onePlay(touch('one', 'one'), 'when: hosts.all.exists(h, h.fact.gone == "x")'),
    ['-y'],
    /^Stopped: .* cannot be read\. Nothing was changed\.$/m,
    false,
  ],
  [
    130,
    'a pause without a terminal',
    onePlay(touch('one', 'one')),
    ['-y', '--pause-before', 'Work'],
    /^Interrupted: before "Work"\./m,
    false,
  ],
])('apply ends with %i: %s', async (code, _what, playbook, args, line, isDone) => {
  harness = localHarness(playbook);
  harness.write('platform.yaml', PLATFORM.replace('facts: {}\n', FACTS));
  const ran = await harness.run(['apply', 'test.yaml', '--no-diagnose', ...args]);
  expect([ran.exitCode, `${ran.stdout}\n${ran.stderr}`]).toEqual([code, expect.stringMatching(line)]);
  expect(existsSync(harness.path('one'))).toBe(isDone);
});

test('apply ends with 4 where a host is away, before any change', async () => {
  harness = localHarness(onePlay(touch('one', 'one')));
  harness.write('inventory.yaml', AWAY);
  harness.write('platform.yaml', WITH_VERSIONS);
  const ran = await harness.run(['apply', 'test.yaml', '-y']);
  expect([ran.exitCode, existsSync(harness.path('one'))]).toEqual([4, false]);
});

test('apply ends with 5 while a run is unfinished', async () => {
  harness = localHarness(onePlay(touch('one', 'one') + FAILS));
  await harness.run(['apply', 'test.yaml', '-y', '--no-diagnose']);
  const ran = await harness.run(['apply', 'test.yaml', '-y']);
  expect([ran.exitCode, ran.stderr]).toEqual([5, expect.stringContaining('runbook resume')]);
});

/** As docs/quick-start.md has them: 0 without problems, else 1. */
test.each<readonly [number, string, string, RegExp]>([
  [0, 'no problem', check('1 < 2'), /No problems found/],
  [0, 'a warning alone', `${check('1 > 2')}        severity: warning\n`, /No problems found/],
  [1, 'a check that fails', check('1 > 2'), /it is not/],
  [1, 'a check that could not be made', check('fact.gone == "x"'), /NOT CHECKED/],
  [2, 'a check with a mistake', check('fact.goen == "x"'), /^$/],
])('doctor ends with %i: %s', async (code, _what, steps, text) => {
  harness = localHarness(onePlay(touch('one', 'one')));
  harness.write('platform.yaml', PLATFORM.replace('facts: {}\n', FACTS));
  harness.write('doctor.yaml', onePlay(steps, 'on_host_failure: continue'));
  const ran = await harness.run(['doctor', 'test.yaml']);
  expect([ran.exitCode, ran.stdout]).toEqual([code, expect.stringMatching(text)]);
});

test('doctor ends with 1 where a host is away', async () => {
  harness = localHarness(onePlay(touch('one', 'one')));
  harness.write('inventory.yaml', AWAY);
  const ran = await harness.run(['doctor', 'test.yaml']);
  expect([ran.exitCode, ran.stdout]).toEqual([1, expect.stringMatching(/ b /)]);
});
