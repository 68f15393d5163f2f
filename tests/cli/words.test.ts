import { afterEach, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, mkdirSync, openSync, symlinkSync, writeFileSync } from 'node:fs';
import {
  linesOf,
  localHarness,
  MODEL_SECRETS,
  modelHarness,
  onePlay,
  openHarness,
  touch,
  type Harness,
} from './cli-harness.js';

let harness: Harness | undefined;
const open = (made: Harness): Harness => (harness = made);
afterEach(() => {
  harness?.end();
  harness = undefined;
});

const TWO = onePlay(`${touch('one', 'one-{{host.name}}')}${touch('two', 'two-{{host.name}}')}        tags: [late]\n`);

describe('what cannot be understood is said in one sentence, with exit code 2 and nothing on standard output', () => {
  const cases: readonly (readonly [string, readonly string[], string])[] = [
    ['a misspelt verb', ['aply', 'test.yaml'], 'unknown command "aply"; did you mean "apply"?'],
    ['a verb like none', ['frobnicate'], 'unknown command "frobnicate"'],
    ['a name that every object has', ['constructor'], 'unknown command "constructor"'],
    [
      'a misspelt option',
      ['plan', 'test.yaml', '--invetory', 'x'],
      'plan has no option --invetory; did you mean --inventory?',
    ],
    [
      'a flag of the platform’s where no variable is taken',
      ['resume', '--include-below-4.9'],
      'resume has no option --include-below-4.9',
    ],
    ['an option without its value', ['plan', 'test.yaml', '-i'], "Option '-i, --inventory <value>' argument missing"],
    ['an option of another verb', ['resume', '--tags', 'x'], 'resume takes no --tags'],
    ['-y where nothing is asked', ['plan', 'test.yaml', '-y'], 'plan takes no --yes'],
    ['an empty limit', ['plan', 'test.yaml', '--limit', ''], '--limit needs a value'],
    ['a limit of nothing but commas', ['plan', 'test.yaml', '-l', ' , '], '--limit needs a value'],
    [
      'a limit that no host fits',
      ['plan', 'test.yaml', '-l', 'nosuch'],
      '--limit: no host, group or role is called "nosuch"',
    ],
    ['an empty list of tags', ['plan', 'test.yaml', '-t', ''], '--tags needs a value'],
    [
      'a tag that no step has',
      ['plan', 'test.yaml', '-t', 'lat'],
      'undefined tag "lat" in "Try"; did you mean "late"?',
    ],
    ['no forks', ['plan', 'test.yaml', '-f', '0'], '--forks takes a whole number from 1, not "0"'],
    ['forks in words', ['plan', 'test.yaml', '--forks', 'many'], '--forks takes a whole number from 1, not "many"'],
    ['no playbook', ['plan'], 'a playbook is missing'],
    ['two playbooks', ['plan', 'test.yaml', 'more.yaml'], 'only one playbook at a time; remove "more.yaml"'],
    ['a playbook for resume', ['resume', 'test.yaml'], 'resume takes no playbook; the run has its own copy'],
    ['resume without a run', ['resume'], 'no unfinished run in '],
    ['release without a run', ['close', '-y'], 'no unfinished run in '],
    ['a run that is not there', ['show', '2020'], 'no runs in '],
    ['a plan file that is not there', ['show', '4711.plan'], 'there is no file 4711.plan'],
    ['a file that is no plan', ['show', 'test.yaml'], 'test.yaml is not a plan (plan -o FILE writes one)'],
    ['a misspelt module', ['modules', 'systemclt'], 'unknown module "systemclt"; did you mean "systemctl"?'],
    [
      'a step that is not there',
      ['plan', 'test.yaml', '--start-at-step', 'twoo'],
      'unknown step "twoo"; did you mean "two"?',
    ],
    ['-e without a name', ['plan', 'test.yaml', '-e', '=x'], '-e takes name=value'],
    ['-e with broken JSON', ['plan', 'test.yaml', '-e', '{"a":'], '-e {"a":: '],
    ['-e with a missing file', ['plan', 'test.yaml', '-e', '@nowhere.yaml'], '-e @nowhere.yaml: file not found'],
    ['-e with a file that holds a list', ['plan', 'test.yaml', '-e', '@list.yaml'], '-e @list.yaml: not an object'],
    ['-e with a file that is no YAML', ['plan', 'test.yaml', '-e', '@torn.yaml'], '-e @torn.yaml: '],
    ['apply without a terminal', ['apply', 'test.yaml'], 'a confirmation is needed and there is no terminal; use -y'],
    ['--step without a terminal', ['apply', 'test.yaml', '-y', '--step'], '--step needs a terminal'],
  ];
  test.each(cases)('%s', async (_what, args, message) => {
    const { run, write } = open(localHarness(TWO));
    write('list.yaml', '- a\n');
    write('torn.yaml', 'a: [1,\n');
    const ran = await run(args);
    expect(ran.stderr).toContain(`runbook: ${message}`);
    expect(ran.stderr).not.toMatch(/^\s+at /m);
    expect([ran.exitCode, ran.stdout]).toEqual([2, '']);
  });
});

describe('help', () => {
  test('without a verb it names every verb, the options and the exit codes', async () => {
    const { run } = open(openHarness());
    for (const args of [[], ['--help'], ['-h'], ['help']]) {
      const { stdout, exitCode } = await run(args);
      expect(exitCode).toBe(0);
      for (const word of [
        'validate',
        'plan',
        'apply',
        'resume',
        'close',
        'runs',
        'show',
        'modules',
        '--limit',
        '130 interrupted',
      ])
        expect(stdout).toContain(word);
    }
  });

  test('of a verb it shows that verb and only its options, and does nothing else', async () => {
    const { run, runs } = open(localHarness(TWO));
    const { stdout, exitCode } = await run(['apply', 'test.yaml', '-y', '--help']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('apply PLAYBOOK');
    expect(stdout).not.toContain('resume  ');
    expect(runs()).toEqual([]);
    expect((await run(['runs', '-h'])).stdout).not.toContain('--limit');
  });

  test('the version is one line', async () => {
    expect((await open(openHarness()).run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+$/);
  });
});

test('a page for which there is no room is no success', async () => {
  const { run } = open(openHarness());
  const full = openSync('/dev/full', 'w');
  const { exitCode, stderr } = await run(['modules'], { stdout: full as unknown as 'pipe' });
  closeSync(full);
  expect([exitCode, stderr]).toEqual([1, 'runbook: standard output could not be written (ENOSPC)']);
});

test('modules lists every module; with a name its arguments, the required ones marked', async () => {
  const { run } = open(openHarness());
  const { stdout } = await run(['modules']);
  for (const name of ['package', 'systemctl', 'http', 'pending-task', 'record'])
    expect(stdout).toMatch(new RegExp(`^${name} +\\S`, 'm'));
  expect((await run(['modules', 'systemctl'])).stdout).toMatch(/^ {2}unit +\(required\) /m);
});

describe('validate', () => {
  test('a sound project in one line; nothing is contacted, and no inventory is needed', async () => {
    const { run, write } = open(localHarness(TWO));
    expect((await run(['validate', 'test.yaml'])).stdout).toBe(
      'Try: 1 play, 2 steps, 1 host: no mistakes. Nothing was contacted.',
    );
    write('inventory.yaml', 'platform: {}\nendpoints: {}\nsecrets: {}\nhosts:\n  far: { address: 192.0.2.1 }\n');
    expect((await run(['validate', 'test.yaml'])).exitCode).toBe(0);
  });

  test('every mistake with its place, its line and what was meant; exit 2', async () => {
    const { run, write } = open(localHarness(TWO));
    write(
      'test.yaml',
      onePlay('      - step: one\n        systemctl: { unti: x }\n      - step: two\n        comand: { argv: [x] }\n'),
    );
    const { stderr, stdout, exitCode } = await run(['validate', 'test.yaml']);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^test\.yaml:8:22 .*"unti"/m);
    expect(stderr).toContain('did you mean "unit"?');
    expect(stderr).toMatch(/^test\.yaml:10:9 .*"comand"/m);
    expect(stderr).toContain('Nothing was contacted.');
  });

  test('a warning in the same form stops nothing, and only validate prints it', async () => {
    const { run, write } = open(localHarness(TWO));
    write('inventory.yaml', 'vars: { colour: red }\nhosts:\n  a: { address: 127.0.0.1, machine: local }\n');
    const { stdout, stderr, exitCode } = await run(['validate', 'test.yaml']);
    expect([exitCode, stdout]).toEqual([0, 'Try: 1 play, 2 steps, 1 host: no mistakes. Nothing was contacted.']);
    expect(stderr).toBe(
      [
        'inventory.yaml:1:9  warning: no playbook here reads the variable "colour"',
        '    1 | vars: { colour: red }',
        '      |         ^^^^^^',
      ].join('\n'),
    );
    expect((await run(['plan', 'test.yaml'])).stderr).not.toContain('colour');
  });

  test('files that the inventory names, all at once, each at its line; none of them stops the load', async () => {
    const { run, write, path } = open(localHarness(TWO));
    write('open-key', 'OPEN-SESAME-7');
    write('own', 'OPEN-SESAME-7');
    chmodSync(path('open-key'), 0o640);
    chmodSync(path('own'), 0o600);
    mkdirSync(path('folder'));
    write(
      'inventory.yaml',
      `secrets:
  api: { file: own }
  gone: { file: secrets/gone }
  shared: { file: open-key }
ssh: { known_hosts: hosts-known, key: own }
groups:
  far: { hosts: ["b-*"], ssh: { key: folder } }
hosts:
  a: { address: 127.0.0.1, machine: local }
  b-[1:3]: { address: "192.0.2.{{n}}", ssh: { key: "keys/{{n}}" } }
  b-2: { ssh: { key: open-key } }
`,
    );
    const { stdout, stderr, exitCode } = await run(['validate', 'test.yaml']);
    expect(stderr).toBe(`inventory.yaml:3:17  warning: there is no secret file secrets/gone
    3 |   gone: { file: secrets/gone }
      |                 ^^^^^^^^^^^^  a path is seen from this file
inventory.yaml:4:19  warning: the secret file open-key can be used by others than its owner (mode 0640)
    4 |   shared: { file: open-key }
      |                   ^^^^^^^^  chmod 600 open-key
inventory.yaml:5:21  warning: there is no file of known hosts hosts-known
    5 | ssh: { known_hosts: hosts-known, key: own }
      |                     ^^^^^^^^^^^  no host is known without it: ssh-keyscan HOST, its key compared with the host's own (ssh-keygen -lf), and put there
inventory.yaml:7:38  warning: the private key folder is a directory
    7 |   far: { hosts: ["b-*"], ssh: { key: folder } }
      |                                      ^^^^^^  a file that you can read belongs there
inventory.yaml:10:52  warning: there is no private key keys/1
   10 |   b-[1:3]: { address: "192.0.2.{{n}}", ssh: { key: "keys/{{n}}" } }
      |                                                    ^^^^^^^^^^^^  a path is seen from this file
inventory.yaml:10:52  warning: there is no private key keys/3
   10 |   b-[1:3]: { address: "192.0.2.{{n}}", ssh: { key: "keys/{{n}}" } }
      |                                                    ^^^^^^^^^^^^  a path is seen from this file
inventory.yaml:11:22  warning: the private key open-key can be used by others than its owner (mode 0640)
   11 |   b-2: { ssh: { key: open-key } }
      |                      ^^^^^^^^  chmod 600 open-key`);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('no mistakes')]);
    expect((await run(['plan', 'test.yaml', '-l', 'a'])).exitCode).toBe(0);
  });

  test('an inventory that cannot be read', async () => {
    const { run, folder } = open(localHarness(TWO));
    for (const given of ['nowhere.yaml', folder]) {
      const { stderr, exitCode } = await run(['plan', 'test.yaml', '-i', given]);
      expect(stderr).toContain('there is no such inventory');
      expect(stderr).not.toMatch(/^\s+at /m);
      expect(exitCode).toBe(2);
    }
  });
});

describe('variables from the command line', () => {
  const SHOW = onePlay(
    '      - step: say\n        record: { values: { said: "{{vars.word}} {{vars.deep.er}}" } }\n',
    'vars: { word: play, deep: { er: play } }',
  );
  const said = async (args: readonly string[]): Promise<unknown> => {
    const { run, write } = open(localHarness(SHOW));
    write('vars.yaml', 'word: yaml   # with a comment\ndeep: { er: yaml }\n');
    write('vars.json', '{ "word": "json" }');
    const ran = await run(['plan', 'test.yaml', '--json', ...args]);
    const settled = linesOf(ran.stdout).find((l) => (l['event'] as { e?: string } | undefined)?.e === 'settled');
    return (settled?.['event'] as { value?: { said?: string } } | undefined)?.value?.said;
  };
  test.each([
    ['k=v', ['-e', 'word=cli'], 'cli play'],
    ['a value with =', ['-e', 'word=a=b'], 'a=b play'],
    ['JSON', ['-e', '{"word":"json","deep":{"er":"json"}}'], 'json json'],
    ['a YAML file', ['--extra-vars', '@vars.yaml'], 'yaml yaml'],
    ['a JSON file', ['-e', '@vars.json'], 'json play'],
    ['the last one wins', ['-e', '@vars.yaml', '-e', 'word=last'], 'last yaml'],
  ])('%s', async (_form, args, value) => {
    expect(await said(args)).toBe(value);
  });

  test('a name that nothing reads is a mistake, with the nearest one', async () => {
    const { run } = open(localHarness(SHOW));
    const { stderr, exitCode } = await run(['plan', 'test.yaml', '-e', 'wrod=x']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('wrod')]);
  });
});

test('--list-hosts prints the hosts of each play, as text and as NDJSON, and contacts no host', async () => {
  const { run, write } = open(localHarness(TWO));
  write(
    'inventory.yaml',
    'platform: {}\nendpoints: {}\nsecrets: {}\nhosts:\n  far-[1:3]: { address: "192.0.2.{{n}}" }\n',
  );
  expect((await run(['apply', 'test.yaml', '--list-hosts'])).stdout).toBe('Work\n  far-1\n  far-2\n  far-3');
  expect((await run(['plan', 'test.yaml', '--list-hosts', '-l', 'far-*,!far-2'])).stdout).toBe(
    'Work\n  far-1\n  far-3',
  );
  const json = await run(['plan', 'test.yaml', '--list-hosts', '--json']);
  expect(linesOf(json.stdout)).toEqual([
    { format: 'runbook-hosts', version: 1 },
    { play: 'Work', hosts: ['far-1', 'far-2', 'far-3'] },
  ]);
});

describe('mistakes of the inventory that once passed', () => {
  test.each<readonly [string, RegExp, string, string]>([
    [
      'a server that is neither master nor worker',
      /roles: \[server, worker\]/,
      'roles: [server]',
      'host "server-2" is server and neither master nor worker',
    ],
    ['an address in brackets', /address: 10\.0\.0\.22/, 'address: "[::1]"', '"[::1]" is not an address'],
  ])('%s', async (_what, from, to, message) => {
    const { run } = open(modelHarness('{ from: 4.12.0 }', (inventory) => inventory.replace(from, to)));
    const { stderr, exitCode } = await run(['validate', 'upgrade-4.14.yaml'], { env: MODEL_SECRETS });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('hints of validate', () => {
  test.each([
    ['systemctl: { unit: x, state: reloaded }', 'and may be', 'did you mean'],
    ['systemctl: { unit: x, state: stoped }', 'did you mean "stopped"?', 'started?'],
    ['file: { path: /x, state: file, mode: 0o660 }', 'write its octal digits in quotes, such as "0640"', '432'],
    ['file: { path: /x, state: file, mode: 0660 }', 'write its octal digits in quotes, such as "0640"', '"660"'],
  ])('%s', async (step, hint, never) => {
    const { run } = open(localHarness(onePlay(`      - step: one\n        ${step}\n`)));
    const { stderr, exitCode } = await run(['validate', 'test.yaml']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(hint)]);
    expect(stderr).not.toContain(never);
  });

  test.each([
    ['/dev/zero', 'the file is a device'],
    ['a FIFO', 'the file is a pipe that nothing is written to'],
  ])('a playbook that is %s is refused, not read for ever', async (what, why) => {
    const { run, path } = open(localHarness(TWO));
    if (what === 'a FIFO') execFileSync('mkfifo', [path('odd.yaml')]);
    else symlinkSync(what, path('odd.yaml'));
    const { stderr, exitCode } = await run(['validate', 'odd.yaml']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(why)]);
  });

  // Work that grows with the square of the mistakes does not end within the limit that every test has.
  test('20,000 wrong plays are all counted, and the first are shown', async () => {
    const { run, path } = open(localHarness(TWO));
    writeFileSync(path('many.yaml'), `playbook: Many\nplays:\n${'  - ply: A\n    hots: all\n'.repeat(20_000)}`);
    const { stderr, exitCode } = await run(['validate', 'many.yaml']);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/many\.yaml:3:5 [^]*\n79999 mistakes in 1 file/)]);
  });
});
