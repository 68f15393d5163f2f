import { afterEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { systemdWarnings } from '../../engine/cli/doctor/systemd.js';
import { hostFacts } from '../../engine/facts/host-facts.js';
import { refKey, type Answer, type Need } from '../../engine/terms/fact.js';
import type { Json } from '../../engine/terms/json.js';
import type { Reader } from '../../engine/terms/machine.js';
import { bench, type Ran } from './bench-hosts.js';

let shop: ReturnType<typeof bench> | undefined;
afterEach(async () => {
  await shop?.end();
  shop = undefined;
});

const FACTS = '  state: { description: Its state, file: "@/state", default: "" }\n';

/** `@/there` is a directory, `@/link` leads to it, `@/old` is a file in it. Nothing else is there. */
function open(...steps: readonly string[]): ReturnType<typeof bench> {
  const lines = steps.map((step) => `      - ${step}\n`).join('');
  shop = bench(`playbook: P\nplays:\n  - play: One\n    hosts: all\n    steps:\n${lines}`, ['a'], FACTS);
  mkdirSync(shop.path('there'));
  symlinkSync(shop.path('there'), shop.path('link'));
  writeFileSync(shop.path('there/old'), 'old\n');
  return shop;
}

const plan = (...steps: readonly string[]): Promise<Ran> => open(...steps).run('plan');

const WRITE = '{ step: Write it, file: { path: "@/no/new", state: file, content: x } }';
const command = (changes: string): string =>
  `{ step: Command, command: { argv: ["true"], changes: ${changes}, timeout: 1m } }`;

describe('a plan is refused where a step puts something into a directory that is missing', () => {
  test.each<readonly [string, string]>([
    ['a file', WRITE],
    ['a link', '{ step: Write it, file: { path: "@/no/new", state: link, target: /x } }'],
    [
      'an edit that makes the file',
      '{ step: Write it, file-edit: { path: "@/no/new", lines: [{ line: x }], create: true } }',
    ],
    ['the copy of a file', '{ step: Write it, file: { path: "@/no/new", state: file, from: "@/there/old" } }'],
    ['a backup', '{ step: Write it, backup: { file: "@/there/old", as: "@/no/old" } }'],
  ])('%s', async (_what, step) => {
    const ran = await plan(step);
    const no = shop?.path('no') ?? '';
    expect(ran.events).toContainEqual(
      expect.objectContaining({
        e: 'settled',
        as: 'blocked',
        reason: `there is no directory ${no}, and no step before this one makes it`,
        hint: `make it on the host, or in a step before this one: file: { path: ${no}, state: directory }`,
      }),
    );
    expect(ran.end).toBe('refused');
  });

  test.each<readonly [string, string]>([
    ['a command that changes another path', command('["@/other"]')],
    ['a command that changes a fact', command('[fact.state]')],
    ['a command that changes nothing that is read', command('unobserved')],
  ])('after %s', async (_what, step) => {
    expect((await plan(step, WRITE)).end).toBe('refused');
  });

  test('the directory is removed by an earlier step', async () => {
    const ran = await plan(
      '{ step: Remove, file: { path: "@/there", state: absent, tree: true } }',
      '{ step: Write it, file: { path: "@/there/new", state: file, content: x } }',
    );
    expect(ran.end).toBe('refused');
  });
});

describe('a plan is not refused where the directory', () => {
  test.each<readonly [string, ...string[]]>([
    ['is there', '{ step: Write it, file: { path: "@/there/new", state: file, content: x } }'],
    ['is a link to one', '{ step: Write it, file: { path: "@/link/new", state: file, content: x } }'],
    ['is made by an earlier step', '{ step: Make, file: { path: "@/no", state: directory } }', WRITE],
    [
      'is made by an earlier step, above another',
      '{ step: Make, file: { path: "@/no/two", state: directory } }',
      WRITE,
    ],
    ['may be made by an earlier command that may change everything', command('everything'), WRITE],
    ['may be made by an earlier command, which is said to change it', command('["@/no"]'), WRITE],
    ['is made by the step itself', '{ step: Make, file: { path: "@/no/two/three", state: directory } }'],
  ])('%s', async (_what, ...steps) => {
    expect((await plan(...steps)).end).toBe('done');
  });

  test('is missing for a step that is skipped', async () => {
    expect((await plan(WRITE.replace('step: Write it,', 'step: Write it, when: "false",'))).end).toBe('done');
  });
});

describe('what the scripts of a package and the start of a service make is not known', () => {
  const UNIT = { load: 'loaded', sub: 'x', enabled: 'enabled', processes: 1, startedAtMs: null, needsReload: false };
  /** A host with systemd whose units are active or not, and on which no package is installed. */
  const reader =
    (active: 'active' | 'inactive') =>
    (real: Reader): Reader => ({
      async ask(needs, context) {
        const values: Readonly<Record<string, Json>> = {
          systemd: true,
          service: { ...UNIT, active },
          package: { manager: 'apt', installed: null, status: '', held: false, changedAtMs: null },
        };
        const answers = new Map(await real.ask(needs, context));
        for (const one of needs)
          if (values[one.fact] !== undefined)
            answers.set(refKey(one), { is: 'value', value: values[one.fact] as Json });
        return answers;
      },
    });

  test.each<readonly [string, 'active' | 'inactive', string, string]>([
    ['a package', 'active', '{ step: Install, package: { name: x, version: "1.0" } }', 'done'],
    ['the start of a service', 'inactive', '{ step: Start, systemctl: { unit: x, state: started } }', 'done'],
    ['the stop of a service', 'active', '{ step: Stop, systemctl: { unit: x, state: stopped } }', 'refused'],
  ])('a plan with a missing directory after %s', async (_what, active, step, end) => {
    expect((await open(step, WRITE).run('plan', { reader: reader(active) })).end).toBe(end);
  });
});

describe('on a host without systemd', () => {
  const SERVICE = { exit: 3, stdout: 'System has not been booted with systemd as init system' };
  /** As such a host answers, whatever this machine has. */
  const answerOf = ({ fact, key }: Need): Answer | undefined =>
    fact === 'systemd'
      ? { is: 'value', value: false }
      : fact === 'service'
        ? hostFacts.get(fact)?.parse(SERVICE, key)
        : undefined;
  const reader = (real: Reader): Reader => ({
    async ask(needs, context) {
      const answers = new Map(await real.ask(needs, context));
      for (const one of needs) answers.set(refKey(one), answerOf(one) ?? (answers.get(refKey(one)) as Answer));
      return answers;
    },
  });

  test.each<readonly [string, string]>([
    ['a service', '{ step: Start it, systemctl: { unit: ssh, state: started } }'],
    ['a package', '{ step: Install it, package: { name: no-such-package, version: "1.0" } }'],
  ])('%s: the plan is refused with one line', async (_what, step) => {
    const ran = await open(step).run('plan', { reader });
    expect(ran.end).toBe('refused');
    expect(ran.events).toContainEqual(
      expect.objectContaining({ e: 'settled', reason: 'this host does not run systemd' }),
    );
  });

  test.each<readonly [string, string, readonly string[]]>([
    ['whose steps need it', '{ step: Start it, when: "1 > 2", systemctl: { unit: ssh, state: started } }', ['a']],
    ['whose steps do not', WRITE, []],
  ])('doctor of a playbook %s says so', async (_what, step, hosts) => {
    const project = await open(step).project();
    const answers: Reader = reader({ ask: () => Promise.resolve(new Map()) });
    expect(await systemdWarnings(project, project.inventory.hosts, answers)).toEqual(
      hosts.map((host) => expect.objectContaining({ hosts: [host], text: 'this host does not run systemd' })),
    );
  });
});
