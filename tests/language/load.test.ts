import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { load, loadTexts, type LoadRequest } from '../../engine/language/load.js';
import type { Project } from '../../engine/language/project.js';
import type { Host } from '../../engine/terms/inventory.js';

const certificate = readFileSync(new URL('fixtures/root-ca.pem', import.meta.url), 'utf8');

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(path.join(os.tmpdir(), 'runbook-load-'));
  write('platform.yaml', platform);
  write('inventory.yaml', 'hosts: { server-1: { roles: [server] } }\n');
});
afterEach(() => rmSync(cwd, { recursive: true }));

const platform = `
platform: Test
roles: { server: { description: A server }, agent: { description: An agent } }
names: { manager: { package: platform-manager, service: platform-manager } }
components: [manager]
vars: { heap: platform, wide: platform }
`;
const plain = 'playbook: Plain\nplays: [{ play: P, steps: [{ step: S, confirm: { question: Go on } }] }]\n';

const write = (file: string, text: string): void => {
  mkdirSync(path.dirname(path.join(cwd, file)), { recursive: true });
  writeFileSync(path.join(cwd, file), text);
};
const request = (more: Partial<LoadRequest> = {}): LoadRequest => ({
  playbook: 'play.yaml',
  cwd,
  env: {},
  shippedDir: path.join(cwd, 'shipped'),
  ...more,
});
const project = async (more: Partial<LoadRequest> = {}): Promise<Project> => {
  const loaded = await load(request(more));
  if (!loaded.ok) throw new Error(loaded.diagnostics.map((d) => `${d.file}:${d.line} ${d.message}`).join('\n'));
  return loaded.value;
};
const mistakes = async (more: Partial<LoadRequest> = {}): Promise<readonly string[]> => {
  const loaded = await load(request(more));
  return loaded.ok ? [] : loaded.diagnostics.map((d) => `${d.file}:${d.line}:${d.column} ${d.message}`);
};
const hostIn = (p: Project, name: string): Host => {
  const host = p.inventory.hosts.find((h) => h.name === name);
  if (host === undefined) throw new Error(`no ${name}`);
  return host;
};

describe('a mistake of YAML', () => {
  const scope = 'playbook: Scope\nplays: [{ play: P, hosts: server, steps: [{ import: part.yaml }] }]\n';
  const part = 'playbook: Part\nsteps:\n  - step: S\n    systemctl: { unit: "{{manager.service}}", state: started }\n';
  const hosts = 'hosts:\n  server-1:\n    roles: [server]\n';
  const files = { 'play.yaml': scope, 'part.yaml': part, 'platform.yaml': platform, 'inventory.yaml': hosts };
  const spoil = {
    'a tab': (text: string) => text.replace(/^ /m, '\t '),
    'a missing colon': (text: string) => text.replace(/^( *[\w-]+): /m, '$1 '),
    'an open quote': (text: string) => text.replace(/: (\S[^\n]*)$/m, ': "$1'),
    'an open bracket': (text: string) => text.replace(/([}\]])$/m, ''),
    'an anchor that is missing': (text: string) => text.replace(/: (\S[^\n]*)$/m, ': *nowhere'),
  };
  const cases = Object.entries(files).flatMap(([file, text]) =>
    Object.entries(spoil).map(([kind, to]) => [kind, file, to(text)] as const),
  );
  const spoilt = cases.filter(([, file, text]) => text !== files[file as keyof typeof files]);
  test.each(spoilt)('%s in %s is the only one that is reported', async (_kind, file, text) => {
    for (const [name, sound] of Object.entries(files)) write(name, sound);
    expect(await mistakes()).toEqual([]);
    write(file, text);
    expect(await mistakes()).toEqual([expect.stringMatching(new RegExp(`^${file}:`))]);
  });

  test('in each of two files is one for each', async () => {
    write('play.yaml', scope);
    write('part.yaml', part.replace('  - step', '\t- step'));
    write('inventory.yaml', 'hosts: { server-1: { roles: [server }\n');
    expect(await mistakes()).toEqual([
      expect.stringMatching(/^part.yaml:3:1 a tab/),
      expect.stringMatching(/^inventory.yaml:/),
    ]);
  });

  test('that leaves the data whole comes first, and others are still found', async () => {
    write('play.yaml', plain);
    write('inventory.yaml', 'hosts:\n  server-1: { roles: [sever] }\n  server-1: { roles: [server] }\n');
    expect(await mistakes()).toEqual([
      expect.stringMatching(/^inventory.yaml:3:3 the key "server-1" stands here a second time/),
      expect.stringMatching(/^inventory.yaml:2:23 /),
    ]);
  });
});

test('a file of steps that is named by itself names the playbooks that import it', async () => {
  write('steps/part.yaml', 'playbook: Part\nsteps: [{ step: S, confirm: { question: Go on } }]\n');
  const hints = async (): Promise<unknown> => {
    const loaded = await load(request({ playbook: 'steps/part.yaml' }));
    return loaded.ok ? [] : loaded.diagnostics.map(({ hint }) => hint);
  };
  write('platform.yaml', platform);
  expect(await hints()).toEqual(['import it in the steps of a play']);
  write('whole.yaml', 'playbook: W\nplays: [{ play: P, steps: [{ import: steps/part.yaml }] }]\n');
  write('other.yaml', 'playbook: O\nplays: [{ play: P, steps: [{ import: steps/apart.yaml }] }]\n');
  expect(await hints()).toEqual(['name a playbook that imports it: whole.yaml']);
});

describe('approvals', () => {
  const needsStore = 'approvals need a store, and none is configured';
  test.each([
    ['without a store', 'approvals: 2', false, [`inventory.yaml:1:12 ${needsStore}`]],
    ['with one', 'approvals: 2', true, []],
    ['where it is not checked', 'approvals: 2', undefined, []],
    ['none, without a store', '', false, []],
    ['too few', 'approvals: 0', true, ['inventory.yaml:1:12 "approvals" is 0, and must be at least 1']],
    ['too many', 'approvals: 10', true, ['inventory.yaml:1:12 "approvals" is 10, and must be at most 9']],
    ['half of one', 'approvals: 1.5', true, ['inventory.yaml:1:12 "approvals" must be a whole number, and is 1.5']],
  ])('%s', async (_, line, hasStore, expected) => {
    write('play.yaml', plain);
    write('inventory.yaml', `${line}\nhosts: { server-1: { roles: [server] } }\n`);
    expect(await mistakes(hasStore === undefined ? {} : { hasStore })).toEqual(expected);
  });

  test('of several inventory files: the most that one asks for', async () => {
    write('play.yaml', plain);
    write('more.yaml', 'approvals: 1\n');
    write('most.yaml', 'approvals: 3\n');
    const inventory = ['most.yaml', 'inventory.yaml', 'more.yaml'];
    expect((await project({ inventory })).inventory.approvals).toBe(3);
  });
});

describe('where files are found', () => {
  test.each([['play.yaml'], ['playbooks/play.yaml'], ['shipped/play.yaml']])('a bare name: %s', async (place) => {
    write(place, plain);
    expect((await project({ playbook: 'play' })).playbook.file).toBe(place);
  });

  test('the nearer one wins', async () => {
    write('shipped/play.yaml', plain);
    write('play.yaml', plain.replace('Plain', 'Mine'));
    expect((await project()).playbook.name).toBe('Mine');
  });

  test('one that is nowhere is reported with the nearest name', async () => {
    write('shipped/upgrade.yaml', plain);
    const loaded = await load(request({ playbook: 'upgrad' }));
    expect(loaded).toMatchObject({
      ok: false,
      diagnostics: [{ file: 'upgrad', message: 'there is no such playbook', hint: 'did you mean "upgrade.yaml"?' }],
    });
  });

  test('the platform beside the playbook wins over that of the working directory', async () => {
    write('other/play.yaml', plain);
    write('other/platform.yaml', platform.replace('Test', 'Beside'));
    expect((await project({ playbook: 'other/play.yaml' })).platform.name).toBe('Beside');
  });

  test('the inventory: -i over RUNBOOK_INVENTORY over ./inventory.yaml', async () => {
    write('play.yaml', plain);
    write('b.yaml', 'hosts: { b: { roles: [server] } }\n');
    write('c.yaml', 'hosts: { c: { roles: [server] } }\n');
    const env = { RUNBOOK_INVENTORY: 'b.yaml' };
    const named = async (more: Partial<LoadRequest>): Promise<readonly string[]> =>
      (await project(more)).inventory.hosts.map((h) => h.name);
    expect(await named({})).toEqual(['server-1']);
    expect(await named({ env })).toEqual(['b']);
    expect(await named({ env, inventory: ['c.yaml'] })).toEqual(['c']);
    expect(await named({ env: { RUNBOOK_INVENTORY: `b.yaml${path.delimiter}c.yaml` } })).toEqual(['b', 'c']);
  });

  test('an inventory that comes through a pipe, alone or after a file', async () => {
    write('play.yaml', plain);
    const pipe = path.join(cwd, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const writer = spawn('sh', ['-c', 'echo "hosts: { piped: { roles: [server] } }" >"$0"', pipe]);
    const named = async (...inventory: readonly string[]): Promise<readonly string[]> =>
      (await project({ inventory })).inventory.hosts.map((h) => h.name);
    expect([await named(pipe), await named('inventory.yaml', pipe)]).toEqual([['piped'], ['server-1', 'piped']]);
    writer.unref();
  });

  test('without an inventory a playbook is checked alone, when that is asked for', async () => {
    rmSync(path.join(cwd, 'inventory.yaml'));
    write('play.yaml', plain);
    expect(await mistakes()).toEqual(['inventory.yaml:1:1 there is no such inventory']);
    expect((await project({ inventoryOptional: true })).inventory.hosts).toEqual([]);
    expect(await mistakes({ inventoryOptional: true, inventory: ['gone.yaml'] })).toEqual([
      'gone.yaml:1:1 there is no such inventory',
    ]);
  });

  test.each([
    ['is larger than 1 MiB', Buffer.alloc(1024 * 1024 + 1, 0x20)],
    ['is not UTF-8 text', Buffer.from([0x61, 0x3a, 0xff])],
  ])('a file that %s is refused', async (reason, bytes) => {
    writeFileSync(path.join(cwd, 'play.yaml'), bytes);
    expect((await mistakes())[0]).toContain(reason);
  });
});

describe('precedence of vars', () => {
  beforeEach(() => {
    write(
      'play.yaml',
      'playbook: P\nvars: { heap: playbook }\nplays: [{ play: A, vars: { heap: play }, steps: [{ step: S, vars: { heap: step }, confirm: { question: "{{vars.heap}} {{vars.wide}}" } }] }]\n',
    );
    write(
      'inventory.yaml',
      `
vars: { heap: inventory, wide: inventory, deep: { a: 1, b: 1 } }
groups:
  late: { hosts: ["web-[1:2]"], vars: { heap: late, deep: { b: 2 } }, ssh: { user: late, port: 23 } }
  later: { vars: { heap: later }, ssh: { port: 24 } }
ssh: { user: all, become: sudo }
hosts:
  web-[1:3]: { address: "10.0.0.{{n}}", groups: [later], ssh: { port: "22{{n}}" } }
  web-2: { vars: { heap: own } }
  plain: {}
`,
    );
  });

  test('of a host: inventory, groups in the order they are written, its own', async () => {
    const p = await project();
    expect(hostIn(p, 'plain').vars).toEqual({ heap: 'inventory', wide: 'inventory', deep: { a: 1, b: 1 } });
    expect(hostIn(p, 'web-1').vars).toEqual({ heap: 'later', wide: 'inventory', deep: { a: 1, b: 2 } });
    expect(hostIn(p, 'web-2').vars).toMatchObject({ heap: 'own' });
    expect(hostIn(p, 'web-1').groups).toEqual(['late', 'later']);
    expect(p.inventory.vars).toMatchObject({ heap: 'inventory' });
    expect(p.platform.vars).toEqual({ heap: 'platform', wide: 'platform' });
  });

  test('of ssh settings likewise, key by key', async () => {
    const p = await project();
    expect(hostIn(p, 'web-3').ssh).toEqual({ user: 'all', become: 'sudo', port: 223 });
    expect(hostIn(p, 'web-1').ssh).toEqual({ user: 'late', become: 'sudo', port: 221 });
  });

  test('of plays and steps, and -e beside them', async () => {
    const p = await project({ extraVars: { wide: 'e' } });
    expect(p.playbook.plays[0]?.vars).toEqual({ heap: 'play' });
    expect(p.playbook.plays[0]?.steps[0]?.vars).toEqual({ heap: 'step' });
    expect(p.extraVars).toEqual({ wide: 'e' });
  });

  test('a variable of -e that only an expression reads is read', async () => {
    const step = (name: string, rest: string): string => `      - step: ${name}\n        ${rest}\n`;
    write('platform.yaml', `${platform}checks: { wanted: { that: vars.of_check == "x", description: A check } }\n`);
    write(
      'play.yaml',
      `playbook: P\nplays:\n  - play: P\n    hosts: all\n    when: [vars.of_play == "x", "true"]\n    steps:\n` +
        step(
          'when',
          'when: hosts.server.all(h, h.vars.of_host == vars.of_step)\n        confirm: { question: Go on }',
        ) +
        step('argument', 'check: { that: vars.of_argument == "x", message: no }'),
    );
    const extraVars = { of_check: 'x', of_play: 'x', of_host: 'x', of_step: 'x', of_argument: 'x' };
    expect(await mistakes({ extraVars })).toEqual([]);
    expect(await mistakes({ extraVars: { ...extraVars, of_nothing: 1 } })).toEqual([
      '-e:1:1 nothing reads the variable "of_nothing"',
    ]);
  });

  test('a variable of -e that nothing reads is reported', async () => {
    const loaded = await load(request({ extraVars: { wid: 'e' } }));
    expect(loaded).toMatchObject({
      ok: false,
      diagnostics: [{ file: '-e', message: 'nothing reads the variable "wid"', hint: 'did you mean "wide"?' }],
    });
  });

  test.each(['vars.colour == "red"', 'all_hosts.server.all(h, h.vars.colour == "red")'])(
    'a variable of -e that only an expression reads is accepted: %s',
    async (when) => {
      write('play.yaml', plain.replace('step: S', `step: S, when: '${when}'`));
      expect(await mistakes({ extraVars: { colour: 'red' } })).toEqual([]);
    },
  );

  test("a host's variable that -e gives to all may stand in the when of a play", async () => {
    write('inventory.yaml', 'hosts: { server-1: { roles: [server], vars: { shade: dark } } }\n');
    write('play.yaml', plain.replace('play: P', 'play: P, hosts: all, when: vars.shade == "light"'));
    expect(await mistakes()).toEqual([expect.stringContaining('"vars.shade" is of one host')]);
    expect(await mistakes({ extraVars: { shade: 'light' } })).toEqual([]);
  });

  test('an element of a loop is reported outside of it', async () => {
    write('play.yaml', plain.replace('step: S', `step: S, when: 'item == "a"'`));
    expect(await mistakes()).toEqual(['play.yaml:2:46 step "S": "item" is undefined here']);
  });
});

describe('the inventory', () => {
  beforeEach(() => write('play.yaml', plain));

  test('several files are merged: maps key by key, values and lists replaced', async () => {
    write(
      'a.yaml',
      'platform: { target: 4.14.6, names: { manager: { package: a } } }\nhosts: { x: { address: 10.0.0.1, roles: [server], vars: { k: 1 } }, y: {} }\nssh: { user: a, key: keys/a }\n',
    );
    write(
      'sub/b.yaml',
      'platform: { target: 4.14.7, names: { manager: { service: b } } }\nhosts: { x: { roles: [agent], vars: { l: 2 } }, z: {} }\nssh: { known_hosts: known }\n',
    );
    const { inventory } = await project({ inventory: ['a.yaml', 'sub/b.yaml'] });
    expect(inventory.platform).toEqual({ target: '4.14.7' });
    expect(inventory.names).toEqual({ manager: { package: 'a', service: 'b' } });
    expect(inventory.hosts.map((h) => h.name)).toEqual(['x', 'y', 'z']);
    expect(inventory.hosts[0]).toMatchObject({ address: '10.0.0.1', roles: ['agent'], vars: { k: 1, l: 2 } });
    expect(inventory.hosts[0]?.ssh).toEqual({
      user: 'a',
      keyFile: path.join(cwd, 'keys/a'),
      knownHosts: path.join(cwd, 'sub/known'),
    });
    expect(inventory.files.map((f) => f.file)).toEqual([path.join(cwd, 'a.yaml'), path.join(cwd, 'sub/b.yaml')]);
  });

  test('endpoints: addresses are those of hosts, by address or name; paths are absolute; a user means basic', async () => {
    write(
      'inventory.yaml',
      `
endpoints:
  indexer: { urls: ["https://10.0.0.1:9200/", "https://b.example.com:9200", "https://[fd00::1]:9200", "https://other:9200"], user: u, password: "{{secret.p}}", ca: ca.pem, via: role.server }
  api: { url: "https://b:55000", auth: token, user: u, password: "x{{secret.p}}y", fingerprint: "${'AB:'.repeat(31)}AB", via: host.b, verify: false }
  open: { url: "http://c" }
secrets: { p: { file: ~/secret }, q: { command: [pass, q] }, r: { prompt: R }, s: { env: S }, t: { file: here } }
hosts: { a: { address: 10.0.0.1, roles: [server] }, b: { address: B.example.com }, c: { address: "FD00::1" } }
`,
    );
    write('ca.pem', certificate);
    const { inventory } = await project({ env: { HOME: '/home/ops' } });
    expect(inventory.endpoints).toEqual({
      indexer: {
        name: 'indexer',
        auth: 'basic',
        user: 'u',
        password: { $secret: 'p' },
        ca: path.join(cwd, 'ca.pem'),
        verify: true,
        via: { role: 'server' },
        urls: [
          { url: 'https://10.0.0.1:9200', host: 'a' },
          { url: 'https://b.example.com:9200', host: 'b' },
          { url: 'https://[fd00::1]:9200', host: 'c' },
          { url: 'https://other:9200' },
        ],
      },
      api: {
        name: 'api',
        auth: 'token',
        user: 'u',
        password: { $text: ['x', { $secret: 'p' }, 'y'] },
        fingerprint: 'ab'.repeat(32),
        verify: false,
        via: { host: 'b' },
        urls: [{ url: 'https://b:55000', host: 'b' }],
      },
      open: { name: 'open', auth: 'none', verify: true, urls: [{ url: 'http://c', host: 'c' }] },
    });
    expect(inventory.secrets).toEqual({
      p: { file: '/home/ops/secret' },
      q: { command: ['pass', 'q'] },
      r: { prompt: 'R' },
      s: { env: 'S' },
      t: { file: path.join(cwd, 'here') },
    });
  });

  test.each([
    [
      'one address with different ports is two machines',
      'a: { address: h, ssh: { port: 1 } }, b: { address: h, ssh: { port: 2 } }',
      [],
    ],
    [
      'one address behind different jump hosts, too',
      'a: { address: h, ssh: { jump: x } }, b: { address: h, ssh: { jump: y } }',
      [],
    ],
    ['in networks of two zones, too', 'a: { address: h }, b: { address: h, zone: x }, c: { address: h, zone: y }', []],
    [
      'however it is written',
      'a: { address: h.example.com }, b: { address: H.example.com. }',
      ['inventory.yaml:1:55 host "b" is at H.example.com., and so is "a"'],
    ],
    [
      'a name that is the address of another',
      'a: {}, b: { address: a }',
      ['inventory.yaml:1:31 host "b" is at a, and so is "a"'],
    ],
    [
      'there is one machine here',
      'a: { machine: local }, b: { machine: local }',
      ['inventory.yaml:1:33 host "b" is at this machine, and so is "a"'],
    ],
  ])('collisions: %s', async (_name, hosts, expected) => {
    write('inventory.yaml', `hosts: { ${hosts} }\n`);
    expect(await mistakes()).toEqual(expected);
  });

  test('a model is the machine of every host that does not say otherwise', async () => {
    write('inventory.yaml', 'model: { from: 4.12.0, options: { a: 1 } }\nhosts: { a: {}, b: { machine: ssh } }\n');
    const { inventory } = await project();
    expect(inventory.hosts.map((h) => h.machine)).toEqual(['model', 'ssh']);
    expect(inventory.model).toEqual({ from: '4.12.0', options: { a: 1 } });
    write('inventory.yaml', 'model: { socket: run/model.sock }\n');
    expect((await project()).inventory.model).toEqual({ socket: path.join(cwd, 'run/model.sock') });
    write('inventory.yaml', 'model: {}\n');
    expect(await mistakes()).toEqual(['inventory.yaml:1:1 a model has either `socket` or `from`']);
  });

  test('a password itself is refused, and not repeated', async () => {
    write('inventory.yaml', 'ssh: { password: hunter2 }\n');
    expect(await mistakes()).toEqual(['inventory.yaml:1:18 "password" must be a secret']);
  });

  test('ten thousand hosts of a range are loaded', async () => {
    write('inventory.yaml', 'hosts: { "web-[00001:10000]": { address: "w{{n}}", roles: [agent] } }\n');
    expect((await project()).inventory.hosts.at(-1)).toMatchObject({ name: 'web-10000', address: 'w10000' });
  });
});

describe('a playbook with imports', () => {
  beforeEach(() => {
    write(
      'play.yaml',
      `
playbook: Outer
spec: "9"
vars: { a: outer, b: outer, size: 5 }
plays:
  - { import: inner.yaml, tags: [first], vars: { count: "{{vars.size}}", b: given } }
  - { import: again.yaml, vars: { count: 7 } }
  - play: Own
    hosts: server
    serial: [1, "50%"]
    tags: [own]
    steps:
      - step: S
        tags: [deep]
        timeout: 1m30s
        retries: 2
        confirm: { question: Go on }
`,
    );
    for (const file of ['inner.yaml', 'again.yaml'])
      write(
        file,
        `
playbook: Inner
spec: "9.4"
vars: { b: inner, count: 1 }
plays: [{ play: P, spec: "9.4.5", steps: [{ step: S, confirm: { question: "{{vars.count}} {{vars.a}} {{vars.b}}" } }] }]
`,
      );
  });

  test('its plays stand in order, with paths of names, headings, tags and variables', async () => {
    const { plays } = (await project()).playbook;
    expect(plays.map((p) => [p.path, p.within, p.tags, p.spec, p.vars])).toEqual([
      ['play/inner/P', ['Inner'], ['first'], '9.4.5', { a: 'outer', b: 'given', size: 5, count: '{{vars.size}}' }],
      ['play/again/P', ['Inner'], [], '9.4.5', { a: 'outer', b: 'inner', size: 5, count: 7 }],
      ['play/Own', [], ['own'], '9', { a: 'outer', b: 'outer', size: 5 }],
    ]);
    expect(plays[2]).toMatchObject({
      serial: [1, '50%'],
      hosts: ['server'],
      onHostFailure: 'stop',
    });
    expect(plays[2]?.steps[0]).toEqual({
      path: 'play/Own/S',
      name: 'S',
      blocks: [],
      module: 'confirm',
      args: { question: 'Go on' },
      tags: ['own', 'deep'],
      vars: {},
      timeoutMs: 90_000,
      retries: 2,
      runOnce: false,
      spec: '9',
      at: { file: 'play.yaml', line: 13, column: 9 },
    });
    expect(plays[0]?.hosts).toBe('controller');
  });

  test('a run reads its own copies, wherever the files are now', async () => {
    const first = await project({ extraVars: { a: 'e' } });
    rmSync(path.join(cwd, 'inner.yaml'));
    rmSync(path.join(cwd, 'platform.yaml'));
    const kept = await loadTexts({
      playbook: first.playbook.files,
      inventory: first.inventory.files,
      extraVars: { a: 'e' },
      cwd,
      env: {},
    });
    expect(kept.ok && kept.value).toEqual(first);
  });

  test('copies are the same from another working directory, but for the names of the files', async () => {
    const first = await project();
    const kept = await loadTexts({
      playbook: first.playbook.files,
      inventory: first.inventory.files,
      cwd: '/',
      env: {},
    });
    expect(kept.ok && kept.value.playbook.plays.map((p) => p.path)).toEqual(first.playbook.plays.map((p) => p.path));
  });
});

describe('what ships', () => {
  const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

  test('the example inventory fits the shipped playbooks', async () => {
    write('inventory.yaml', readFileSync(path.join(root, 'inventory.example.yaml'), 'utf8'));
    write('certs/root-ca.pem', certificate);
    const loaded = await load({
      playbook: 'upgrade-4.14',
      cwd,
      env: {},
      shippedDir: path.join(root, 'playbooks'),
    });
    expect(loaded.ok ? loaded.warnings : loaded.diagnostics).toEqual([]);
  });

  test.each(['diagnose', 'rollback', 'upgrade-4.14'])(
    'a missing folder of offline packages does not block a playbook that does not need it: %s loads, with a warning',
    async (playbook) => {
      const offline = 'offline_packages: /mnt/gone, target: 4.14.7, package_url: https://p.example';
      const example = readFileSync(path.join(root, 'tests/demo/inventory.yaml'), 'utf8');
      write('inventory.yaml', example.replace(/^platform:(\n {2}.*)+/m, `platform: { ${offline} }`));
      const loaded = await load({ playbook, cwd, env: {}, shippedDir: path.join(root, 'playbooks') });
      expect(loaded.ok ? loaded.warnings : loaded.diagnostics).toMatchObject([
        { line: 3, message: expect.stringMatching(/gone\/SHA256SUMS/) },
      ]);
      expect(loaded.ok).toBe(true);
    },
  );
});

describe('what nothing reads', () => {
  const warned = async (inventory: string, more: Partial<LoadRequest> = {}): Promise<readonly string[]> => {
    write('play.yaml', plain.replace('Go on', '"Use {{vars.heap}}"'));
    write('inventory.yaml', inventory);
    const loaded = await load(request(more));
    const found = loaded.ok ? loaded.warnings : loaded.diagnostics;
    return found.map((d) =>
      [`${loaded.ok ? 'warning' : 'mistake'} ${d.line}:${d.column}`, d.message, d.hint]
        .filter((part) => part !== undefined)
        .join(' '),
    );
  };
  const hosts = 'hosts: { server-1: { roles: [server] } }';

  test.each([
    ['one letter off', 'vars: { haep: 1 }', ['mistake 1:9 nothing reads the variable "haep" did you mean "heap"?']],
    ['far from any', 'vars: { colour: 1 }', ['warning 1:9 no playbook here reads the variable "colour"']],
    [
      'near, and no slip of the hand',
      'vars: { heapes: 1 }',
      ['warning 1:9 no playbook here reads the variable "heapes" did you mean "heap"?'],
    ],
    [
      'written beside the one that is read',
      'vars: { heap: 1, heaps: 2 }',
      ['warning 1:18 no playbook here reads the variable "heaps" did you mean "heap"?'],
    ],
    [
      'a number apart',
      'vars: { heap1: 1 }',
      ['warning 1:9 no playbook here reads the variable "heap1" did you mean "heap"?'],
    ],
    ['read by another variable', 'vars: { heap: "{{vars.half}}", half: 1 }', []],
    ['set by the platform', 'vars: { wide: 1 }', []],
    ['of the platform block', 'platform: { colour: 1 }', ['warning 1:13 no playbook here reads {{platform.colour}}']],
  ])('%s', async (_, vars, expected) => {
    expect(await warned(`${vars}\n${hosts}\n`)).toEqual(expected);
  });

  test('a playbook that can be run with the same inventory reads it', async () => {
    write('playbooks/other.yaml', plain.replace('Go on', '"{{vars.colour}}"'));
    write('shipped/other.yaml', plain.replace('Go on', '"{{vars.haep}} {{platform.colour}}"'));
    expect(await warned(`vars: { colour: 1, haep: 2 }\nplatform: { colour: 1 }\n${hosts}\n`)).toEqual([]);
  });

  test('of hosts and groups, once for a range', async () => {
    const lines = [
      'hosts:',
      '  a-[1:9]: { address: "a{{n}}", roles: [server], vars: { haep: 1 } }',
      'groups: { g: { vars: { colour: 2, heaap: 2 } } }',
    ];
    expect(await warned(lines.join('\n'))).toEqual([
      'mistake 2:58 nothing reads the variable "haep" did you mean "heap"?',
      'mistake 3:35 nothing reads the variable "heaap" did you mean "heap"?',
    ]);
  });

  test('is not looked for in the copies that a run kept: what was let pass then is no mistake now', async () => {
    write('playbooks/other.yaml', plain.replace('Go on', '"{{vars.haep}}"'));
    write('ca.pem', certificate);
    write('inventory.yaml', `vars: { haep: 1 }\nendpoints: { api: { url: "https://a", ca: ca.pem } }\n${hosts}\n`);
    write('play.yaml', plain.replace('Go on', '"Use {{vars.heap}}"'));
    const { playbook, inventory } = await project();
    rmSync(path.join(cwd, 'playbooks'), { recursive: true });
    rmSync(path.join(cwd, 'ca.pem'));
    const kept = await loadTexts({ playbook: playbook.files, inventory: inventory.files, cwd, env: {} });
    expect(kept).toMatchObject({ ok: true, warnings: [] });
  });
});
