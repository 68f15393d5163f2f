import { existsSync, readdirSync } from 'node:fs';
import { afterEach, expect, test } from '@jest/globals';
import { bench, type Ran } from './bench-hosts.js';

/* What `validate` cannot see, because it is no template: a variable that is written as a reference; and values that only a host has. */

let b: ReturnType<typeof bench>;
afterEach(() => b.end());

const run = (verb: 'plan' | 'apply', step: string, facts = ''): Promise<Ran> => {
  const playbook = `
playbook: Test
vars: { hidden: { $secret: pw }, mixed: { $text: [a, { $secret: pw }] } }
plays:
  - play: One
    hosts: all
    steps:
      - step: Step
        ${step}
`;
  b = bench(playbook, ['a'], facts);
  return b.run(verb);
};
const reasonOf = ({ events }: Ran): string | undefined =>
  events.flatMap((e) => (e.e === 'settled' && e.as === 'failed' ? [e.reason] : [])).at(-1);

const MISPLACED: readonly (readonly [string, string])[] = [
  ['command: { argv: [touch, "@/{{vars.hidden}}"], changes: nothing, timeout: 5s }', 'item 2 of "argv"'],
  ['command: { argv: [touch, "@/x"], env: { A: "{{vars.mixed}}" }, changes: nothing, timeout: 5s }', '"A"'],
  ['file: { path: "@/{{vars.hidden}}", state: file }', '"path"'],
  ['systemctl: { unit: "{{vars.mixed}}", state: started }', '"unit"'],
  ['confirm: { question: "{{vars.hidden}}" }', '"question"'],
];

test.each((['plan', 'apply'] as const).flatMap((verb) => MISPLACED.map(([step, at]) => [verb, at, step] as const)))(
  '%s: a secret in %s fails the step before it acts',
  async (verb, at, step) => {
    const ran = await run(verb, step);
    expect([ran.end, reasonOf(ran)]).toEqual(['refused', `${at} takes no secret`]);
    expect(readdirSync(b.folder)).toEqual([]);
  },
);

test.each(['plan', 'apply'] as const)('%s: a message decides nothing, and has a secret by its name', async (verb) => {
  const ran = await run(verb, 'check: { that: "1 > 2", message: "not {{vars.hidden}}" }');
  expect(ran.events).toContainEqual(
    expect.objectContaining({ as: 'blocked', reason: expect.stringContaining('not {{secret.pw}}') }),
  );
});

test.each(['plan', 'apply'] as const)('%s: a map where a text belongs fails the step before it acts', async (verb) => {
  const step = 'command: { argv: [tee, "@/x"], stdin: "{{fact.js}}", changes: ["@/x"], timeout: 5s }';
  const ran = await run(verb, step, '  js: { description: A map, command: [echo, \'{"a":1}\'], type: json }\n');
  expect([ran.end, reasonOf(ran)]).toEqual(['refused', '"stdin" must be text, and is a map']);
  expect(existsSync(b.path('x'))).toBe(false);
});
