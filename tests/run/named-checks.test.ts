import { afterEach, describe, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { bench, type Ran } from './bench-hosts.js';

let shop: ReturnType<typeof bench> | undefined;
afterEach(async () => {
  await shop?.end();
  shop = undefined;
});

const PLATFORM = `  state: { description: Its state, file: "@/state", default: missing }
checks:
  ready:
    description: It is ready
    that: fact.state == "ready"
    fail_if: fact.state == "broken"
    message: "{{host.name}} is not ready"
    hint: look at its log
  short: { description: It is short, that: size(fact.state) < 6 }
`;
const PLAY = (steps: string): string => `
playbook: P
plays:
  - play: Check
    hosts: all
    steps:
${steps}
`;

function open(steps: string, state: string): ReturnType<typeof bench> {
  shop = bench(PLAY(steps), ['a'], PLATFORM);
  writeFileSync(shop.path('state'), state);
  return shop;
}

const settled = (ran: Ran): readonly unknown[] =>
  ran.events.flatMap((e) => (e.e === 'settled' ? [[e.name, e.as, e.reason, e.hint]] : []));

describe('check', () => {
  test('that holds is a step with its description as the title', async () => {
    const ran = await open('      - check: ready', 'ready').run('apply');
    expect(settled(ran)).toEqual([['It is ready', 'ok', 'It is ready', undefined]]);
  });

  test('that does not hold stops the run with its message, what was found, and its hint', async () => {
    const ran = await open('      - check: ready', 'open').run('apply');
    expect(ran.end).toBe('refused');
    expect(settled(ran)).toEqual([
      ['It is ready', 'blocked', 'a is not ready (fact.state is "open", not "ready")', 'look at its log'],
    ]);
  });

  test('without a message is reported by its description and the condition that is not met', async () => {
    const ran = await open('      - check: short', 'far too long').run('apply');
    expect(settled(ran)[0]).toEqual([
      'It is short',
      'blocked',
      'check failed: It is short (size(fact.state) is 12, not < 6)',
      undefined,
    ]);
  });

  test('with severity warning only warns', async () => {
    const ran = await open('      - { step: Ready or not, check: ready, severity: warning }', 'open').run('apply');
    expect(ran.end).toBe('done');
    expect(ran.events).toContainEqual(
      expect.objectContaining({
        e: 'warned',
        text: 'a is not ready',
        hint: 'look at its log',
      }),
    );
  });
});

describe('wait_for', () => {
  test('that failed is asked again by a resume', async () => {
    const { run, path } = open('      - wait_for: ready', 'open');
    const first = await run('apply');
    expect(first.end).toBe('refused');
    writeFileSync(path('state'), 'ready');
    const ran = await run('resume', { past: first.recorded });
    expect([ran.end, settled(ran).at(-1)]).toEqual([
      'done',
      ['Wait until it is ready', 'ok', 'It is ready', undefined],
    ]);
  });

  test('fails at its limit with the message of the check, and warns before', async () => {
    const ran = await open('      - { wait_for: ready, timeout: 2m }', 'open').run('apply');
    expect(settled(ran)).toEqual([
      [
        'Wait until it is ready',
        'failed',
        'a is not ready (waited 120 s: fact.state is "open", not "ready")',
        'look at its log',
      ],
    ]);
    expect(ran.events).toContainEqual(
      expect.objectContaining({ e: 'warned', text: 'still waiting after 1 min: a is not ready' }),
    );
  });

  test('without a message fails with the condition that is not met', async () => {
    const ran = await open('      - { wait_for: short, timeout: 2m }', 'far too long').run('apply');
    expect(settled(ran)).toEqual([
      ['Wait until it is short', 'failed', 'waited 120 s: size(fact.state) is 12, not < 6', undefined],
    ]);
    expect(ran.events).toContainEqual(
      expect.objectContaining({ e: 'warned', text: 'still waiting after 1 min: size(fact.state) is 12, not < 6' }),
    );
  });

  test('gives up once fail_if held in so many readings in a row', async () => {
    const ran = await open('      - { wait_for: ready, timeout: 1h }', 'broken').run('apply');
    expect(settled(ran)).toEqual([
      [
        'Wait until it is ready',
        'failed',
        'a is not ready (fact.state is "broken", 10 readings in a row)',
        'look at its log',
      ],
    ]);
  });
});

describe('a fact of a command', () => {
  test.each<readonly [string, string, string, string]>([
    ['', 'size(fact.health) < 5', '{"ok": true}', 'refused'],
    [', type: json', 'fact.health.ok == true', '{"ok": true}', 'done'],
    [', pointer: /0/health', 'fact.health == true', '[{"health": true}]', 'done'],
    [', pointer: /0/health, default: true', 'fact.health == true', '[{"health": false}]', 'refused'],
    [', pointer: /0/health', 'fact.health == true', 'no JSON', 'refused'],
  ])('%s: %s of %s: %s', async (rest, that, text, end) => {
    const platform = `  health: { description: Its health, command: [cat, "@/health"]${rest} }
checks: { healthy: { description: It is healthy, that: ${that} } }
`;
    shop = bench(PLAY('      - check: healthy'), ['a'], platform);
    writeFileSync(shop.path('health'), text);
    expect((await shop.run('apply')).end).toBe(end);
  });
});
