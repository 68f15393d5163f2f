import { afterEach, describe, expect, test } from '@jest/globals';
import { linesOf, MODEL_SECRETS, modelHarness, onePlay, openHarness, type Harness } from './cli-harness.js';

const env = MODEL_SECRETS;

let harness: Harness | undefined;
const open = (made: Harness): Harness => (harness = made);
afterEach(() => {
  harness?.end();
  harness = undefined;
});

const PLATFORM = `
platform: Test
roles: { web: { description: A web server } }
names: { app: { config: "@/app-{{host.name}}.json", dir: "@/data" } }
facts:
  config: { description: The configuration, file: "{{app.config}}", format: json }
  mode: { description: Its mode, file: "{{app.config}}", format: json, pointer: /mode, default: plain }
  listing: { description: Files, command: [ls, "{{app.dir}}"] }
  health: { description: Health, endpoint: app, path: /health }
  keyed: { description: A command that is given a secret, command: [echo, "{{vars.given}}"] }
checks:
  is_web: { that: '"web" in host.roles', description: The host has the role }
  all_web: { that: 'all_hosts.web.all(h, h.is_web)', description: All have it }
vars: { heap: 1g, given: none, owner: root, limit: 10m, mirror: "{{vars.owner}}-mirror" }
types: { limit: duration }
`;
const INVENTORY = `
endpoints: { app: { url: "https://127.0.0.1:1", user: ops, password: "{{secret.app}}" } }
secrets: { app: { env: APP_PASSWORD } }
vars: { heap: 2g, password: "{{secret.app}}", note: "a-secret-value is here" }
groups: { big: { hosts: [a], vars: { heap: 8g } } }
hosts:
  a: { address: 127.0.0.1, roles: [web], machine: local, vars: { owner: app } }
  far: { address: 127.0.0.1, ssh: { port: 1, user: ops } }
`;
const secret = { APP_PASSWORD: 'a-secret-value' };

const local = (): Harness => {
  const made = open(openHarness({ 'platform.yaml': PLATFORM, 'inventory.yaml': INVENTORY }));
  made.write('app-a.json', '{"mode":"fast","password":"hunter22","ports":[80,443]}');
  return made;
};

describe('a value with its type, and the source of each name', () => {
  test('a truth has its reason', async () => {
    const { run } = open(modelHarness('{ from: 4.12.0 }'));
    const ran = await run(
      ['eval', '--host', 'indexer-2', 'installed.indexer != platform.target || needs_restart.indexer'],
      { env },
    );
    expect(ran.stdout).toBe(`true
type:   bool
host:   indexer-2
reason: installed.indexer is 4.12.0-1, not 4.14.7

  installed.indexer = 4.12.0-1 (Version)
    package platform-indexer on indexer-2
  platform.target = 4.14.7 (Version)
    inventory, inventory.yaml:4
  needs_restart.indexer = false (bool)
    unit platform-indexer and package platform-indexer on indexer-2`);
    expect([ran.stderr, ran.exitCode]).toEqual(['', 0]);
  });

  test('a fact of an endpoint, alone', async () => {
    const { run, runs } = open(modelHarness('{ from: 4.12.0 }'));
    const ran = await run(['eval', 'fact.health.status'], { env });
    expect(ran.stdout).toBe('"green"\ntype:   string\nsource: GET /_cluster/health of endpoint indexer');
    expect(runs()).toEqual([]);
  });

  test('a named check has its own reason; every host of a macro is named', async () => {
    const { run } = open(modelHarness('{ from: 4.12.0 }'));
    const ran = await run(['eval', 'hosts.server.exists(h, h.connector_due)'], { env });
    expect(ran.stdout).toContain(
      '  connector_due of server-2 = false (bool)\n    named check\n    previous.manager is 4.12.0-1, not < 4.8',
    );
    expect(ran.stdout).toContain('  hosts.server = ["server-1","server-2"] (list)');
  });

  test('the version before an upgrade that is in progress', async () => {
    const { run, write } = open(openHarness({}));
    write(
      'platform.yaml',
      `platform: Test\nroles: { web: { description: A } }\nnames: { app: { package: bash, service: x, upgrade_record: "@/record" } }\ncomponents: [app]\n`,
    );
    write('inventory.yaml', 'hosts:\n  a: { address: 127.0.0.1, roles: [web], machine: local }\n');
    const installed = linesOf((await run(['eval', '--host', 'a', '--json', 'installed.app'])).stdout)[1];
    const { value } = (installed as { result: { value: string } }).result;
    write('record', `1.0.0 ${value}\n`);
    expect((await run(['eval', '--host', 'a', 'previous.app'])).stdout).toBe(
      '1.0.0\ntype:   Version\nhost:   a\nsource: package bash on a, before its upgrade',
    );
  });

  test.each<readonly [string, readonly string[], string]>([
    ['of -e', ['-e', 'heap=4g', 'vars.heap'], '"4g"\ntype:   string\nsource: -e'],
    ['of the inventory', ['vars.heap'], '"2g"\ntype:   string\nsource: inventory, inventory.yaml:4'],
    [
      'of a group',
      ['--host', 'a', 'vars.heap'],
      '"8g"\ntype:   string\nhost:   a\nsource: group big, inventory.yaml:5',
    ],
    ['of a host', ['--host', 'a', 'vars.owner'], '"app"\ntype:   string\nhost:   a\nsource: host a, inventory.yaml:7'],
    ['of the platform', ['vars.limit'], '"10m"\ntype:   Duration\nsource: platform default, platform.yaml:14'],
    ['that only the expression reads', ['-e', 'colour=red', 'vars.colour'], '"red"\ntype:   string\nsource: -e'],
  ])('a variable %s', async (_what, args, shown) => {
    const ran = await local().run(['eval', ...args], { env: secret });
    expect([ran.stdout, ran.stderr, ran.exitCode]).toEqual([shown, '', 0]);
  });

  test.each<readonly [string, string]>([
    ['1 + 2', '3\ntype:   int'],
    ['version("4.9") < "4.13"', 'true\ntype:   bool\nreason: version("4.9") is 4.9 (< 4.13)'],
    ['"a" in ["b"] ? "yes" : "no"', '"no"\ntype:   string'],
  ])('without an inventory: %s', async (expression, shown) => {
    expect((await open(openHarness()).run(['eval', expression])).stdout).toBe(shown);
  });

  test('a file, a command and a default of the host', async () => {
    const { run, folder, write } = local();
    const of = async (...args: readonly string[]): Promise<string> =>
      (await run(['eval', ...args], { env: secret })).stdout;
    expect(await of('--host', 'a', 'fact.mode')).toContain(`source: file ${folder}/app-a.json on a, at /mode`);
    expect(await of('--host', 'a', 'size(fact.config.ports) > 1')).toContain('  fact.config.ports = [80,443] (list)');
    write('app-a.json', '{}');
    expect(await of('--host', 'a', 'fact.mode')).toContain(
      `source: file ${folder}/app-a.json on a, at /mode; nothing is there: the default of the fact`,
    );
  });

  test('--json', async () => {
    const ran = await local().run(['eval', '--json', '--host', 'a', 'is_web && all_web'], { env: secret });
    expect(linesOf(ran.stdout)).toEqual([
      { format: 'runbook-eval', version: 1 },
      {
        expression: 'is_web && all_web',
        host: 'a',
        result: { is: 'value', value: true, type: 'bool' },
        reason: 'The host has the role; All have it',
        names: [
          {
            name: 'is_web',
            result: { is: 'value', value: true, type: 'bool' },
            reason: 'The host has the role',
            source: 'named check',
          },
          {
            name: 'all_web',
            result: { is: 'value', value: true, type: 'bool' },
            reason: 'All have it',
            source: 'named check',
          },
        ],
      },
    ]);
  });
});

describe('what is unknown says why', () => {
  test('a command that fails', async () => {
    const { run, folder } = local();
    const ran = await run(['eval', '--host', 'a', 'fact.listing == "x"'], { env: secret });
    expect(ran.stdout).toMatch(new RegExp(`^unknown\nhost:   a\nreason: .*${folder}/data`));
    expect(ran.stdout).toContain(`  fact.listing: unknown\n    command ls ${folder}/data on a\n`);
    expect([ran.exitCode, ran.stderr]).toEqual([1, '']);
  });

  test.each<readonly [string, readonly string[]]>([
    ['an endpoint', ['fact.health.status']],
    ['a host', ['--host', 'far', 'fact.mode']],
  ])('%s that does not answer: 4', async (_what, args) => {
    const ran = await local().run(['eval', ...args], { env: secret });
    expect([ran.stdout.split('\n')[0], ran.exitCode]).toEqual(['unknown', 4]);
  });

  test('an order that texts do not have: 2', async () => {
    const ran = await local().run(['eval', '--host', 'a', 'fact.mode < fact.config.mode'], { env: secret });
    expect(ran.stderr).toContain('have no order');
    expect(ran.exitCode).toBe(2);
  });
});

describe('secrets are not printed', () => {
  test.each<readonly [string, readonly string[], string]>([
    ['a variable that refers to one', ['vars.password'], 'vars.password is a secret, which no expression reads'],
    ['its comparison', ['vars.password == "a-secret-value"'], 'a secret never equals text'],
    ['of an endpoint', ['endpoint.app.password != ""'], '"endpoint" is undefined'],
    [
      'a fact that is given one by another name',
      ['--host', 'a', '-e', 'given={{secret.app}}', 'fact.keyed'],
      'takes no secret; the value of vars.given is made from',
    ],
    ['its value in another variable', ['vars.note'], '"{{secret.app}} is here"'],
    ['its value on the command line', ['"a-secret-value"'], '"{{secret.app}}"'],
    ['a password in a file of a host', ['--host', 'a', 'fact.config'], '"password": "[hidden]"'],
    ['the same alone', ['--host', 'a', 'fact.config.password'], '"[hidden]"'],
    ['the same compared', ['--host', 'a', 'fact.config.password == "x"'], 'fact.config.password = "[hidden]"'],
  ])('%s', async (_what, args, shown) => {
    const { run } = local();
    for (const json of [[], ['--json']]) {
      const ran = await run(['eval', ...json, ...args], { env: secret });
      const text = `${ran.stdout}${ran.stderr}`;
      expect(text).not.toMatch(/a-secret-value|hunter22/);
      if (json.length === 0) expect(text).toContain(shown);
    }
  });
});

describe('mistakes, as validate reports them, with exit code 2', () => {
  const nested = `${'['.repeat(1000)}${']'.repeat(1000)}`.slice(0, 2000);
  test.each<readonly [string, readonly string[], string]>([
    ['no expression', [], 'runbook: an expression is missing; example: runbook eval --host NAME'],
    ['two expressions', ['true', 'false'], 'runbook: eval takes one expression; put it in single quotes'],
    ['an empty expression', [''], 'expression:1:1  the expression is empty'],
    ['a syntax error', ['vars.heap = "1g"'], 'expression:1:11  unexpected "="\n'],
    ['nesting', [nested], 'the expression is nested more than 250 levels deep'],
    ['a huge number', ['9'.repeat(30)], 'expression:1:1  the number is too large; at most 9007199254740991'],
    ['a huge text', [`"${'x'.repeat(5000)}"`], 'the expression has 5002 characters; at most 2000 are allowed'],
    [
      'a misspelt name',
      ['fact.mdoe == "a"'],
      '"fact.mdoe" is undefined\n    1 | fact.mdoe == "a"\n      |      ^^^^  did you mean "mode"?',
    ],
    ['a name in the second line', ['true &&\n  vars.haep == "1g"'], 'expression:2:3  "vars.haep" is undefined'],
    [
      'a secret',
      ['secret.app == "x"'],
      '"secret" is undefined\n    1 | secret.app == "x"\n      | ^^^^^^  no expression reads a secret',
    ],
    ['a condition that is none', ['true && size("a")'], 'expression:1:9  size("a") is a number'],
    ['an unknown host', ['--host', 'c', 'true'], 'runbook: --host: there is no host "c"'],
    ['a misspelt host', ['--host', 'farr', 'true'], 'there is no host "farr"; did you mean "far"?'],
    ['an option of others', ['--limit', 'a', 'true'], 'runbook: eval takes no --limit'],
    ['a playbook that is missing', ['--playbook', 'no.yaml', 'true'], 'no.yaml:1:1  there is no such playbook'],
    [
      'a variable of the wrong type',
      ['-e', 'limit=20 minutes', 'vars.limit'],
      'the variable "limit" must be a duration',
    ],
  ])('%s', async (_what, args, message) => {
    const ran = await local().run(['eval', ...args], { env: secret });
    expect(ran.stderr).toContain(message);
    expect(ran.stderr).not.toMatch(/^\s+at /m);
    expect([ran.stdout, ran.exitCode]).toEqual(['', 2]);
  });

  test.each([['is_web'], ['host.name'], ['fact.mode'], ['app.config'], ['fact.listing == "x"']])(
    'what depends on the host needs --host: %s',
    async (expression) => {
      const ran = await local().run(['eval', expression], { env: secret });
      expect(ran.stderr).toMatch(/^expression:1:1 {2}"[\w.]+" depends on the host\n/);
      expect(ran.stderr).toContain('add --host NAME, such as --host a');
      expect(ran.exitCode).toBe(2);
    },
  );
});

test('--playbook takes the platform file beside that playbook', async () => {
  const { run, path, write } = local();
  const { mkdirSync } = await import('node:fs');
  mkdirSync(path('other'));
  write(
    'other/platform.yaml',
    'platform: Other\nroles: { web: { description: W } }\nvars: { heap: 3g, of_other: yes it is }\n',
  );
  write('other/play.yaml', onePlay('      - step: one\n        confirm: { question: Go on }\n'));
  const ran = await run(['eval', '--playbook', 'other/play.yaml', 'vars.of_other'], { env: secret });
  expect(ran.stdout).toBe('"yes it is"\ntype:   string\nsource: platform default, other/platform.yaml:3');
});

describe('a mistake that does not concern the expression is a warning', () => {
  const broken = (change: readonly [string, string]): Harness =>
    open(openHarness({ 'platform.yaml': PLATFORM.replace(...change), 'inventory.yaml': INVENTORY }));
  const listing = ['command: [ls, "{{app.dir}}"]', 'command: [ls, "{{app.dri}}"]'] as const;
  const check = ['"web" in host.roles', '"web" in host.rolls'] as const;

  test.each<readonly [string, readonly [string, string], readonly string[], string, string]>([
    ['of a fact', listing, ['vars.heap'], '"2g"\n', '{{app.dri}} is undefined'],
    ['of a check', check, ['--host', 'a', 'fact.mode == "x"'], 'false\n', 'platform.yaml:12:'],
    ['of a key', ['format: json }', 'format: json, colour: red }'], ['1 + 1'], '2\n', 'colour'],
  ])('%s', async (_what, change, args, shown, warned) => {
    const ran = await broken(change).run(['eval', ...args], { env: secret });
    expect(ran.stdout).toContain(shown);
    expect(ran.stderr).toContain('warning: ');
    expect(ran.stderr).toContain(warned);
  });

  test.each<readonly [string, readonly [string, string], readonly string[]]>([
    ['the fact', listing, ['--host', 'a', 'fact.listing == "x"']],
    ['the check', check, ['--host', 'a', 'is_web']],
    ['a check of the check', check, ['all_web']],
    ['a check of a host', check, ['hosts.web.all(h, h.is_web)']],
    ['a name of the fact', ['dir: "@/data"', 'dir: "{{app.dri}}"'], ['--host', 'a', 'fact.listing == "x"']],
    ['a variable of the variable', ['owner: root', 'owner: "{{vars.onwer}}"'], ['vars.mirror']],
    ['the type of the variable', ['limit: duration', 'limit: duraton'], ['vars.limit']],
    ['the roles', ['description: A web server', 'description: A, requires: wbe'], ['hosts.web.all(h, true)']],
    ['the syntax of the file', ['vars: {', 'vars: {{'], ['1 + 1']],
  ])('and refuses where it is in %s', async (_what, change, args) => {
    const ran = await broken(change).run(['eval', ...args], { env: secret });
    expect([ran.stdout, ran.exitCode]).toEqual(['', 2]);
    expect(ran.stderr).toMatch(/^platform\.yaml:\d+:\d+ {2}(?!warning)/);
  });

  test('of the inventory refuses every expression', async () => {
    const inventory = INVENTORY.replace('roles: [web]', 'roles: [wbe]');
    const { run } = open(openHarness({ 'platform.yaml': PLATFORM, 'inventory.yaml': inventory }));
    expect((await run(['eval', '1 + 1'], { env: secret })).exitCode).toBe(2);
  });

  test('of the playbook', async () => {
    const { run, write } = local();
    write('play.yaml', onePlay('      - step: one\n        confirm: { question: "{{vars.haep}}" }\n'));
    const ran = await run(['eval', '--playbook', 'play.yaml', 'vars.heap'], { env: secret });
    expect([ran.stdout.split('\n')[0], ran.exitCode]).toEqual(['"2g"', 0]);
    expect(ran.stderr).toMatch(/^play\.yaml:\d+:\d+ {2}warning: .*vars\.haep/);
  });
});
