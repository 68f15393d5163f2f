import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, expect, test } from '@jest/globals';
import { bench } from './bench-hosts.js';

let shop: ReturnType<typeof bench> | undefined;
afterEach(async () => {
  await shop?.end();
  shop = undefined;
});

const RECORD = (when: string): string => `
      - step: Find the queues
        record: { values: { list: "{{fact.queues}}" } }
        register: queues
        when: ${when}`;

/** Each queue is moved once; one called `two` only while the file `ok` is there. */
const queues = (first = '', when = 'true'): ReturnType<typeof bench> =>
  looping('registered.queues.list', first + RECORD(when), when);

function looping(list: string, first = '', when = 'true'): ReturnType<typeof bench> {
  shop = bench(
    `
playbook: P
plays:
  - play: One
    hosts: a
    steps:${first}
      - step: Move
        when: ${when}
        loop: "{{${list}}}"
        command:
          argv: [sh, -c, '[ "$1" != two ] || [ -e @/ok ] && echo "$1" >> @/moved', sh, "{{item}}"]
          changes: [@/moved]
          timeout: 1m
`,
    ['a'],
    '  queues: { description: Queues, file: "@/queues", format: json }\n',
  );
  return shop;
}
const write = (list: unknown): void => writeFileSync(shop?.path('queues') ?? '', JSON.stringify(list));
const moved = (): string => readFileSync(shop?.path('moved') ?? '', 'utf8');

test.each([
  ['a step recorded', queues],
  ['a fact is', () => looping('fact.queues')],
])('a loop goes over what %s, and a resume goes on with that list', async (_, open) => {
  const { run, path } = open();
  write(['one', 'two', 'three']);
  const failed = await run('apply');
  expect([failed.end, moved()]).toEqual(['failed', 'one\n']);
  write(['two', 'four']);
  writeFileSync(path('ok'), '');
  const resumed = await run('resume', { past: failed.recorded });
  expect([resumed.end, moved()]).toEqual(['done', 'one\ntwo\nthree\n']);
});

test('a step that is not for this host needs no list', async () => {
  const { run } = queues('', 'host.name == "b"');
  const { end, events } = await run('apply');
  expect([end, events.flatMap((e) => (e.e === 'task-skipped' ? [e.name] : []))]).toEqual([
    'done',
    ['Find the queues', 'Move'],
  ]);
});

test.each([
  ['a step records', queues],
  ['a fact is', () => looping('fact.queues')],
])('a plan shows the elements of a list that %s now', async (_, open) => {
  const { run, path } = open();
  write(['one', 'two']);
  const { end, events } = await run('plan');
  const shown = events.flatMap((e) => (e.e === 'checked' ? [`${e.name} ${e.verdict}`] : []));
  expect([end, shown]).toEqual(['done', ['Move [one] change', 'Move [two] change']]);
  expect(existsSync(path('moved'))).toBe(false);
});

test('a list that a step of the run changes first is known after apply, and so is the step', async () => {
  const { run } = queues(`
      - step: Open the queues
        command: { argv: [sh, -c, 'echo "[\\"one\\"]" > @/queues'], changes: [@/queues], timeout: 1m }`);
  const planned = await run('plan');
  const undecided = planned.events.flatMap((e) => (e.e === 'undecided' ? [[e.name, e.dependsOn.length]] : []));
  expect([planned.end, undecided]).toEqual([
    'done',
    [
      ['Find the queues', 1],
      ['Move', 1],
    ],
  ]);
  expect([(await run('apply')).end, moved()]).toEqual(['done', 'one\n']);
});

test('a fact that a step of the run changes first is a list that is known after apply', async () => {
  const { run } = looping(
    'fact.queues',
    `
      - step: Open the queues
        command: { argv: [sh, -c, 'echo "[\\"one\\"]" > @/queues'], changes: [@/queues], timeout: 1m }`,
  );
  const planned = await run('plan');
  const undecided = planned.events.flatMap((e) => (e.e === 'undecided' ? [[e.name, e.dependsOn.length]] : []));
  expect([planned.end, undecided]).toEqual(['done', [['Move', 1]]]);
  expect([(await run('apply')).end, moved()]).toEqual(['done', 'one\n']);
});

test('a fact that cannot be read and that no step changes is no list: the plan is not complete', async () => {
  const { end, events } = await looping('fact.queues').run('plan');
  expect([end, events.flatMap((e) => (e.e === 'undecided' ? [e.unread] : []))]).toEqual(['unreachable', ['stops']]);
});

test.each([
  ['no list', { one: 1 }, 'loop: "loop" takes a list, and this is {"one":1}'],
  [
    'too many elements',
    Array.from({ length: 1001 }, (_, i) => i),
    'loop: a list of 1001 elements; at most 1000 are taken',
  ],
  ['an element that is too long', ['a', 'x'.repeat(1001)], 'loop: element 2 has more than 1000 characters'],
])('%s of a host ends the step', async (_, list, reason) => {
  const { run } = queues();
  write(list);
  const { end, events } = await run('apply');
  const failed = events.flatMap((e) => (e.e === 'settled' && e.as === 'failed' ? [[e.name, e.reason]] : []));
  expect([end, failed]).toEqual(['refused', [['Move', reason]]]);
});

test('an element is data: no template, no path, no host of another task', async () => {
  const { run } = queues();
  write(['{{fact.queues}}', 'a/b@host:b', '$(id)', 'c\nd']);
  expect((await run('apply')).end).toBe('done');
  expect(moved()).toBe('{{fact.queues}}\na/b@host:b\n$(id)\nc\nd\n');
});
