import { afterEach, describe, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { denied } from '../../engine/facts/answer.js';
import { failed } from '../../engine/machines/machine.js';
import type { Event } from '../../engine/terms/event.js';
import { refKey, type Answer } from '../../engine/terms/fact.js';
import type { Reader } from '../../engine/terms/machine.js';
import { bench, crashingAt, type Ran } from './bench-hosts.js';

let shop: ReturnType<typeof bench> | undefined;
afterEach(async () => {
  await shop?.end();
  shop = undefined;
});

/** `gone` cannot be read: its command fails, and there is no default. */
const FACTS = `  gone: { description: What a program says, command: [cat, "@/gone"] }
  state: { description: Its state, file: "@/state", default: missing }
  absent: { description: It may be absent, command: [cat, "@/gone"], default: "" }
checks:
  well: { description: It is well, that: fact.gone == "well" }
  stated: { description: It is stated, that: fact.state == "stated", message: "it is {{fact.state}}" }
  well_or_absent: { description: It is well or absent, that: 'fact.absent in ["", "well"]' }
`;
const MAKE = '- { step: Make another, file: { path: "@/made", state: file, content: x } }';
const START = '- { step: Start it, command: { argv: [touch, "@/gone"], changes: [], repeatable: true, timeout: 1m } }';

function open(steps: readonly string[], play = '', invariant = ''): ReturnType<typeof bench> {
  const lines = steps.map((step) => `${step.startsWith('-') ? '      ' : ''}${step}\n`).join('');
  shop = bench(
    `playbook: P\nplays:\n  - play: One\n    hosts: all\n${play}    steps:\n${lines}`,
    ['a'],
    FACTS,
    '{}',
    invariant,
  );
  return shop;
}

type Undecided = Extract<Event, { e: 'undecided' }>;
const undecidedIn = ({ events }: Ran): readonly Undecided[] => events.flatMap((e) => (e.e === 'undecided' ? [e] : []));
const endOf = ({ end, events }: Ran): readonly unknown[] => [
  end,
  undecidedIn({ end, events, recorded: [] }).map(({ name, unread, dependsOn }) => [name, unread ?? '', ...dependsOn]),
];

describe('in a plan, what cannot be read and no step changes', () => {
  test.each<readonly [string, string, string]>([
    ['a check', '- check: well', 'It is well'],
    ['a condition', '- { step: Make it, when: fact.gone == "x", file: { path: "@/m", state: absent } }', 'Make it'],
    [
      'the condition of a block',
      '- { block: B, when: fact.gone == "x", steps: [{ step: Make it, file: { path: "@/m", state: absent } }] }',
      'Make it',
    ],
    ['an argument', '- { step: Make it, file: { path: "@/m", state: file, content: "{{fact.gone}}" } }', 'Make it'],
  ])('%s: the plan is not complete, and comes to its end', async (_what, step, name) => {
    const ran = await open([MAKE, step, '- { step: Last, file: { path: "@/last", state: file, content: x } }']).run(
      'plan',
    );
    expect([ran.end, undecidedIn(ran)[0]]).toMatchObject(['unreachable', { name, unread: 'stops', dependsOn: [] }]);
    expect(ran.events.at(-1)).toMatchObject({ reason: `"${name}" cannot be read` });
    expect(ran.events).toContainEqual(expect.objectContaining({ name: 'Last' }));
  });

  test('the condition of a play: its steps are planned as if it held', async () => {
    const ran = await open([MAKE], '    when: hosts.test.exists(h, h.fact.gone == "x")\n').run('plan');
    expect(endOf(ran)).toEqual(['unreachable', [['condition of the play "One"', 'stops']]]);
    expect(ran.events).toContainEqual(expect.objectContaining({ e: 'checked', name: 'Make another' }));
  });

  test('the condition of a play that another fact makes false is not asked', async () => {
    const ran = await open([MAKE], '    when: hosts.test.exists(h, h.fact.gone == "x" && h.fact.absent == "y")\n').run(
      'plan',
    );
    expect(endOf(ran)).toEqual(['done', []]);
    expect(ran.events).toContainEqual(expect.objectContaining({ e: 'play-skipped' }));
  });

  test('the list of a loop', async () => {
    const ran = await open(
      ['- { step: Make each, loop: "{{vars.list}}", file: { path: "@/{{item}}", state: absent } }', MAKE],
      '    vars: { list: "{{fact.gone}}" }\n',
    ).run('plan');
    const after = ['Make another', '', 'test/One/Make each'];
    expect(endOf(ran)).toEqual(['unreachable', [['Make each', 'stops'], after]]);
  });

  test('an invariant', async () => {
    const ran = await open(
      [MAKE],
      '    serial: 1\n',
      '{ invariant: It is well, roles: [test], condition: fact.gone == "x", within: 1m }',
    ).run('plan');
    expect(endOf(ran)).toEqual(['unreachable', [['It is well', 'stops']]]);
  });

  test('a requirement', async () => {
    const ran = await open([MAKE], '    requires: [well]\n').run('plan');
    expect(endOf(ran)).toEqual(['unreachable', [['It is well', 'stops']]]);
  });

  test('in a play that goes on without a host that failed: the run does without this host', async () => {
    const ran = await open(['- check: well'], '    on_host_failure: continue\n').run('plan');
    expect(endOf(ran)).toEqual(['done', [['It is well', 'continues']]]);
  });

  test('a check that only warns: a warning', async () => {
    const ran = await open(['- { check: well, severity: warning }']).run('plan');
    expect(endOf(ran)).toEqual(['done', []]);
    expect(ran.events).toContainEqual(expect.objectContaining({ e: 'warned' }));
  });

  test('a wait: it waits', async () => {
    expect(endOf(await open(['- wait_for: well']).run('plan'))).toEqual(['done', []]);
  });

  test('a fact with a default is read', async () => {
    expect(endOf(await open(['- check: well_or_absent']).run('plan'))).toEqual(['done', []]);
  });
});

describe('a file of a step that answers otherwise', () => {
  const DENIED = denied('/secret may not be read');
  const FILE = '- { step: Make it, file: { path: "@/m", state: file, content: x } }';
  const answering =
    (answer: Answer) =>
    (real: Reader): Reader => ({
      ask: async (needs, context) => {
        const answers = new Map(await real.ask(needs, context));
        for (const need of needs) if (need.key.endsWith('/m')) answers.set(refKey(need), answer);
        return answers;
      },
    });

  test('that it may not be read: the plan is not complete, and the apply fails there', async () => {
    const { run } = open([MAKE, FILE]);
    const planned = await run('plan', { reader: answering(DENIED) });
    expect(endOf(planned)).toEqual(['unreachable', [['Make it', 'stops']]]);
    const { end, events } = await run('apply', { reader: answering(DENIED) });
    expect(end).toBe('failed');
    expect(events).toContainEqual(expect.objectContaining({ e: 'settled', name: 'Make it', as: 'failed' }));
  });

  test('that the login is refused: the plan is refused', async () => {
    const answer = failed('no-access', 'sudo wants a password of deploy');
    expect((await open([MAKE, FILE]).run('plan', { reader: answering(answer) })).end).toBe('refused');
  });

  test('that it may not be read, in a play that continues: the run goes on without this host', async () => {
    const { run } = open([FILE], '    on_host_failure: continue\n');
    expect(endOf(await run('plan', { reader: answering(DENIED) }))).toEqual(['done', [['Make it', 'continues']]]);
  });
});

test('what a command of the plan may make readable is known after it', async () => {
  const ran = await open([START, '- check: well']).run('plan');
  expect(endOf(ran)).toEqual(['done', [['It is well', '', 'test/One/Start it']]]);
});

test('a check that only warns, of what the plan changes, is known after that, and no warning', async () => {
  const write = '- { step: Write it, file: { path: "@/state", state: file, content: "{{fact.absent}}" } }';
  const change = '- { step: Change it, command: { argv: [touch, "@/state"], changes: ["@/state"], timeout: 1m } }';
  const ran = await open([write, change, '- { check: stated, severity: warning }']).run('plan');
  expect(endOf(ran)).toEqual(['done', [['It is stated', '', 'test/One/Change it']]]);
  expect(ran.events.filter(({ e }) => e === 'warned')).toEqual([]);
});

describe('in the plan of the rest of a run, a check that does not hold', () => {
  const CHECKED = '- { step: It holds, check: { that: fact.absent == "well", message: it does not hold } }';

  async function rest(steps: readonly string[]): Promise<Ran> {
    const { run, path } = open(steps);
    const cut = await run('apply', { actor: crashingAt(1, 'before') });
    writeFileSync(path('state'), 'cut');
    const ran = await run('plan', { past: cut.recorded });
    return { ...ran, events: ran.events.slice(cut.recorded.length) };
  }

  test('and that a pending step may make true is known after that step', async () => {
    const ran = await rest([START, CHECKED]);
    expect(endOf(ran)).toEqual(['done', [['It holds', '', 'test/One/Start it']]]);
    expect(undecidedIn(ran)[0]?.because).toBe(
      '"Start it" comes before it; now: it does not hold (fact.absent is "", not "well")',
    );
  });

  test('with no pending step before it stops the run', async () => {
    const ran = await rest([CHECKED, START]);
    expect(ran.end).toBe('refused');
  });

  test('and that only a command of an earlier play comes before stops the run', async () => {
    const ran = await rest([START, '  - play: Two\n    hosts: all\n    steps:', CHECKED]);
    expect(ran.end).toBe('failed');
  });

  test('of a plan before the run is what refuses it', async () => {
    expect((await open([START, CHECKED]).run('plan')).end).toBe('refused');
  });
});
