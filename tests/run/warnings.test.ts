import { expect, test } from '@jest/globals';
import { modules } from '../../engine/cli/platforms.js';
import type { AnyModule } from '../../engine/terms/module.js';
import { bench } from './bench-hosts.js';

const PLAYBOOK = `
playbook: P
plays:
  - play: One
    hosts: a
    steps:
      - step: touch
        command: { argv: [touch, "@/one"], creates: "@/one", changes: ["@/one"], timeout: 10s }
        spec: "9.7"
`;

/** `command`, with something to say of each of its changes. */
const talkative = (): ReadonlyMap<string, AnyModule> => {
  const command = modules.get('command');
  if (command === undefined) throw new Error('no module command');
  const decide: AnyModule['decide'] = (...given) => {
    const verdict = command.decide(...given);
    if (verdict.is === 'change')
      return { is: 'change', change: { ...verdict.change, warnings: ['two are below', 'x'] } };
    return verdict.is === 'ok' ? { ...verdict, warnings: ['one is below'] } : verdict;
  };
  return new Map([...modules, ['command', { ...command, decide }]]);
};
const told = ({ events }: Awaited<ReturnType<ReturnType<typeof bench>['run']>>): readonly string[] =>
  events.flatMap((e) => (e.e === 'warned' ? [`${e.text} §${e.spec ?? ''}`] : []));

test('warnings of a module are printed by a plan and, as they came out, by the run; also where nothing is changed', async () => {
  const shop = bench(PLAYBOOK, ['a']);
  const more = { modules: talkative() };
  expect(told(await shop.run('plan', more))).toEqual(['two are below §9.7', 'x §9.7']);
  expect(told(await shop.run('apply', more))).toEqual(['one is below §9.7']);
  expect(told(await shop.run('apply', more))).toEqual(['one is below §9.7']);
  await shop.end();
});

const TWO_STEPS = `
playbook: P
plays:
  - play: One
    hosts: a
    steps:
      - step: write
        file: { path: "@/two", state: file, content: new, mode: "0644" }
      - step: compare
        check: { that: true, message: none }
`;

/** `check`, with a warning that depends on a fact that it does not read. */
const outdated = (fact: string): ReadonlyMap<string, AnyModule> => {
  const check = modules.get('check');
  if (check === undefined) throw new Error('no module check');
  const decide: AnyModule['decide'] = () => ({ is: 'ok', because: 'x', warnings: ['one differs'] });
  return new Map([...modules, ['check', { ...check, warningsDependOn: [fact], decide }]]);
};

test('a plan omits warnings that depend on a fact that an earlier step changes; an apply prints them', async () => {
  const shop = bench(TWO_STEPS, ['a']);
  expect(told(await shop.run('plan', { modules: outdated('file') }))).toEqual([]);
  expect(told(await shop.run('plan', { modules: outdated('package') }))).toEqual(['one differs §']);
  expect(told(await shop.run('apply', { modules: outdated('file') }))).toEqual(['one differs §']);
  await shop.end();
});

const FAILING = `
playbook: P
plays:
  - play: One
    hosts: a
    steps:
      - step: fail
        command: { argv: ["false"], changes: [], timeout: 10s }
        severity: warning
        retries: 1
      - step: wait
        wait_for: { that: "1 == 2", message: never, hint: wait longer }
        timeout: 4s
        severity: warning
      - step: go on
        command: { argv: [touch, "@/on"], creates: "@/on", changes: ["@/on"], timeout: 10s }
`;

test('a step that fails is a warning where its severity says so, after its retries, and the run continues', async () => {
  const shop = bench(FAILING, ['a']);
  const ran = await shop.run('apply');
  expect(ran.events.filter(({ e }) => e === 'settled').map((e) => 'as' in e && e.as)).toEqual(['done', 'ok', 'done']);
  expect(told(ran)[0]).toMatch(/^fail: false ended with status 1/);
  expect(told(ran)[1]).toMatch(/^wait: never /);
  await shop.end();
});
