import { afterEach, describe, expect, test } from '@jest/globals';
import { existsSync, writeFileSync } from 'node:fs';
import { bench, type Ran } from './bench-hosts.js';

let shop: ReturnType<typeof bench> | undefined;
afterEach(async () => {
  await shop?.end();
  shop = undefined;
});

const FACTS = `  state: { description: Its state, file: "@/state", default: missing }
  gone: { description: A file that is not there, file: "@/gone" }
  member: { description: What it says of itself, command: [cat, "@/member"], type: json }
  asked: { description: It leaves a trace, command: [touch, "@/asked"] }
checks:
  ready:
    description: It is ready
    that: fact.state == "ready"
    message: "{{host.name}} is {{fact.gone}}, with {{fact.member.role}}"
    hint: { look: "cat {{fact.gone}}" }
  quiet: { description: It is ready, that: fact.state == "ready", message: "says {{fact.asked}}" }
`;

function open(step: string, state: string): ReturnType<typeof bench> {
  const playbook = `playbook: P\nplays:\n  - play: One\n    hosts: all\n    steps: [${step}]\n`;
  shop = bench(playbook, ['a'], FACTS);
  writeFileSync(shop.path('state'), state);
  writeFileSync(shop.path('member'), '{"state": "running"}');
  return shop;
}

const settled = ({ events }: Ran): readonly unknown[] =>
  events.flatMap((e) => (e.e === 'settled' ? [[e.as, e.reason, e.hint]] : []));

describe('a message and a hint that name what cannot be read', () => {
  test.each(['plan', 'apply'] as const)('do not stop a check that holds (%s)', async (verb) => {
    const ran = await open('{ check: ready }', 'ready').run(verb);
    expect([ran.end, settled(ran)]).toEqual(['done', [['ok', 'It is ready', undefined]]]);
  });

  test.each(['plan', 'apply'] as const)('have gaps in what a check reports (%s)', async (verb) => {
    const ran = await open('{ check: ready }', 'open').run(verb);
    expect([ran.end, settled(ran)]).toEqual([
      'refused',
      [['blocked', 'a is (unknown), with (unknown) (fact.state is "open", not "ready")', { look: 'cat (unknown)' }]],
    ]);
  });

  test('let a wait wait', async () => {
    const { run, path } = open('{ wait_for: ready, timeout: 2m }', 'open');
    const ran = await run('apply', {
      on: (event) => {
        if (event.e === 'warned') writeFileSync(path('state'), 'ready');
      },
    });
    expect(ran.end).toBe('done');
    expect(ran.events).toContainEqual(
      expect.objectContaining({ e: 'warned', text: 'still waiting after 1 min: a is (unknown), with (unknown)' }),
    );
  });

  test('let a plan go on after a wait', async () => {
    const ran = await open('{ wait_for: ready }', 'open').run('plan');
    expect(ran.events).toContainEqual(expect.objectContaining({ e: 'checked', verdict: 'waiting' }));
    expect(ran.end).toBe('done');
  });
});

test('a message that is not shown asks nothing', async () => {
  const { run, path } = open('{ check: quiet }', 'ready');
  expect((await run('apply')).end).toBe('done');
  expect(existsSync(path('asked'))).toBe(false);
});

test.each(['plan', 'apply'] as const)(
  'a warning is reported and checks nothing, with gaps for what cannot be read (%s)',
  async (verb) => {
    const ran = await open(
      '{ step: Warn, warn: { message: "it is {{fact.gone}}", hint: "ask {{host.name}}" } }',
      '',
    ).run(verb);
    expect([ran.end, settled(ran)]).toEqual(['done', [['ok', 'reported', undefined]]]);
    expect(ran.events).toContainEqual(expect.objectContaining({ e: 'warned', text: 'it is (unknown)', hint: 'ask a' }));
  },
);
