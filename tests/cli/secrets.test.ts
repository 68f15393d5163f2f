import { afterEach, describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { localHarness, modelHarness, onePlay, type Harness } from './cli-harness.js';

let harness: Harness | undefined;
const open = (made: Harness): Harness => (harness = made);
let server: Server | undefined;
afterEach(() => {
  harness?.end();
  harness = undefined;
  server?.close();
  server = undefined;
});

/** Characters that every encoding writes otherwise. */
const VALUE = 'p4ss/wörd+ "quoted" & more?';
/** What gives it away: itself and its usual forms. */
const FORMS = [
  VALUE,
  encodeURIComponent(VALUE),
  new URLSearchParams({ p: VALUE }).toString().slice(2),
  JSON.stringify(VALUE).slice(1, -1),
  Buffer.from(VALUE).toString('base64'),
  Buffer.from(VALUE).toString('base64url'),
  Buffer.from(`admin:${VALUE}`).toString('base64'),
];
const formsIn = (text: string): readonly string[] => FORMS.filter((form) => text.includes(form));

describe('a secret stays out of everything that is shown or kept', () => {
  test('of a run whose failing step prints it in every form', async () => {
    const playbook = onePlay(
      `      - step: keep it
        file: { path: "@/secret.conf", state: file, mode: "0600", content: "user=admin\\npassword={{secret.db}}\\n" }
      - step: through standard input
        command: { argv: [cat], stdin: "{{secret.db}}", changes: everything, timeout: 10s }
        register: told
      - step: leaks and fails
        command: { argv: [sh, -c, "cat @/secret.conf; sed -n s/password=//p @/secret.conf | tr -d '\\\\n' | base64 -w0 >&2; exit 3"], changes: everything, timeout: 10s }
`,
    );
    const { run, runs, everythingOf, read } = open(localHarness(playbook, '{ db: { env: DB_PASSWORD } }'));
    const env = { DB_PASSWORD: VALUE };
    const plan = await run(['plan', 'test.yaml', '-D', '-v'], { env });
    const apply = await run(['apply', 'test.yaml', '-y', '-D', '-vvv'], { env });
    const resume = await run(['resume', '-y', '-D', '-vvv'], { env });
    const shown = [plan, apply, resume, await run(['show', '-D', '-v']), await run(['show', '--json'])]
      .map((r) => `${r.stdout}${r.stderr}`)
      .join('\n');
    expect(apply.exitCode).toBe(1);
    expect(read('secret.conf')).toBe(`user=admin\npassword=${VALUE}\n`);
    expect(formsIn(shown)).toEqual([]);
    expect(formsIn(everythingOf(runs()[0] ?? ''))).toEqual([]);
    // The error itself is not hidden.
    expect(apply.stdout).toContain('ended with status 3');
    expect(shown).toContain('{{secret.db}}');
  });

  test('of a run that is refused with a wrong password', async () => {
    const { run, runs, everythingOf } = open(
      modelHarness('{ from: 4.12.0, options: { passwords: { api: right, indexer: right } } }'),
    );
    const env = { RUNBOOK_DEMO_API_PASSWORD: VALUE, RUNBOOK_DEMO_INDEXER_PASSWORD: VALUE };
    const ran = await run(['apply', 'upgrade-4.14.yaml', '-y', '-vvv'], { env });
    expect(ran.exitCode).toBe(3);
    expect(ran.stdout).toMatch(/401|password|denied|Unauthorized/i);
    expect(formsIn(`${ran.stdout}${ran.stderr}${everythingOf(runs()[0] ?? '')}`)).toEqual([]);
  });

  test('of files that get it in a line or a value, once; a second run changes nothing', async () => {
    const playbook = onePlay(`      - step: line
        file-edit: { path: "@/f.conf", replace: [{ pattern: "^user=old$", with: "user={{secret.db}}" }] }
      - step: value
        yaml-merge: { path: "@/f.yml", set: { a.b: "{{secret.db}}" } }
      - step: element
        xml-merge: { path: "@/f.xml", root: a, set: [{ element: b, children: { c: "{{secret.db}}" } }] }
      - step: stop here once
        command: { argv: [test, -e, "@/go"], changes: everything, repeatable: true, timeout: 10s }
`);
    const { run, runs, everythingOf, read, write } = open(localHarness(playbook, '{ db: { env: DB_PASSWORD } }'));
    write('f.conf', 'user=old\n');
    write('f.yml', 'a:\n  b: old\n');
    write('f.xml', '<a>\n  <b/>\n</a>\n');
    const env = { DB_PASSWORD: VALUE };
    const ran = [];
    ran.push(await run(['plan', 'test.yaml', '-D', '-o', 'plan'], { env }));
    ran.push(await run(['apply', 'plan', '-y', '-D', '-vvv'], { env }));
    write('go', '');
    ran.push(await run(['resume', '-y', '-D', '-vvv'], { env }));
    const again = await run(['apply', 'test.yaml', '-y', '-D'], { env });
    ran.push(again, await run(['report', '--format', 'json'], { env }), await run(['show', '--json', '-D'], { env }));
    expect(ran.map(({ exitCode }) => exitCode)).toEqual([0, 1, 0, 0, 0, 0]);
    expect(read('f.conf')).toBe(`user=${VALUE}\n`);
    expect(read('f.yml')).toBe(`a:\n  b: ${VALUE}\n`);
    expect(read('f.xml')).toContain(`<c>${VALUE}</c>`);
    expect(again.stdout).toContain('3 unchanged');
    const shown = ran.map(({ stdout, stderr }) => `${stdout}${stderr}`).join('\n');
    expect(shown).toMatch(/^ *-\[hidden\]\n *\+user=\{\{secret\.db\}\}$/m);
    const kept = runs().map(everythingOf).join('\n');
    expect(formsIn(`${shown}${kept}${read('plan')}`)).toEqual([]);
    expect(kept).not.toContain(createHash('sha256').update(`user=${VALUE}\n`).digest('hex'));
  });

  test('one that is not set is named, with where it should come from', async () => {
    const { run } = open(
      localHarness(
        onePlay('      - step: need it\n        file: { path: "@/x", state: file, content: "{{secret.db}}" }\n'),
        '{ db: { env: DB_PASSWORD } }',
      ),
    );
    const ran = await run(['apply', 'test.yaml', '-y']);
    expect(ran.exitCode).not.toBe(0);
    expect(ran.stdout).toContain('DB_PASSWORD');
  });

  test('one that must be typed in, without a terminal: the failure says so', async () => {
    const { run } = open(
      localHarness(
        onePlay('      - step: need it\n        file: { path: "@/x", state: file, content: "{{secret.db}}" }\n'),
        '{ db: { prompt: The password } }',
      ),
    );
    const ran = await run(['apply', 'test.yaml', '-y']);
    expect([ran.exitCode === 0, ran.stdout]).toEqual([false, expect.stringMatching(/terminal/)]);
  });
});

describe('a text that only looks like a reference to a secret', () => {
  /** Every module that writes what it read, on files that a host wrote; the secret is used, so its value is at hand. */
  const MODULES = onePlay(`      - step: use it
        command: { argv: [cat], stdin: "{{secret.db}}", changes: everything, timeout: 10s }
      - step: edit
        file-edit: { path: "@/conf", lines: [{ line: "added = 1" }] }
      - step: xml
        xml-merge: { path: "@/conf.xml", root: conf, set: [{ element: added, children: { one: "1" } }] }
      - step: yaml
        yaml-merge: { path: "@/conf.yml", set: { added: 1 } }
      - step: read
        command: { argv: [cat, "@/conf"], changes: nothing, timeout: 10s }
        register: read
      - step: write what was read
        file: { path: "@/copy", state: file, content: "{{registered.read.stdout}}" }
      - step: stop here once
        command: { argv: [test, -e, "@/go"], changes: everything, repeatable: true, timeout: 10s }
      - step: write it again
        file: { path: "@/copy-2", state: file, content: "{{registered.read.stdout}}" }
`);

  test('stays as it is in every module, also after a resume; the secret itself does, too', async () => {
    const { run, read, write, path, runs, everythingOf } = open(localHarness(MODULES, '{ db: { env: DB_PASSWORD } }'));
    const env = { DB_PASSWORD: VALUE };
    const planted = `# {{secret.db}} and ${VALUE}\n`;
    write('conf', planted);
    write('conf.xml', `<conf>\n  <note>{{secret.db}}</note>\n</conf>\n`);
    write('conf.yml', `# {{secret.db}}\nnote: "{{secret.db}}"\n`);
    const first = await run(['apply', 'test.yaml', '-y'], { env });
    expect([first.exitCode, first.stdout]).toEqual([1, expect.stringContaining('stop here once')]);
    write('go', '');
    const resumed = await run(['resume', '-y'], { env });
    expect([resumed.exitCode, resumed.stdout]).toEqual([0, expect.anything()]);
    for (const name of ['conf', 'copy', 'copy-2']) expect(read(name)).toBe(`${planted}added = 1\n`);
    expect(read('conf.xml')).toContain('<note>{{secret.db}}</note>');
    expect(read('conf.yml')).toContain('# {{secret.db}}\nnote: "{{secret.db}}"');
    for (const name of ['conf.xml', 'conf.yml']) expect(read(name)).toContain('added');
    expect(formsIn(everythingOf(runs()[0] ?? ''))).toEqual([]);
    expect(path('')).toBeTruthy();
  });

  test('has no secret fetched', async () => {
    const playbook = onePlay(
      '      - step: edit\n        file-edit: { path: "@/conf", lines: [{ line: "added = 1" }] }\n',
    );
    const { run, read, write } = open(localHarness(playbook, '{ db: { prompt: The password } }'));
    write('conf', '# {{secret.db}}\n');
    expect((await run(['apply', 'test.yaml', '-y'])).exitCode).toBe(0);
    expect(read('conf')).toBe('# {{secret.db}}\nadded = 1\n');
  });
});

describe('a password that is a common word', () => {
  test('is a warning of validate, and an upgrade ends as with any other', async () => {
    const { run } = open(modelHarness('{ from: 4.12.0, options: { passwords: { api: indexer, indexer: server } } }'));
    const env = { RUNBOOK_DEMO_API_PASSWORD: 'indexer', RUNBOOK_DEMO_INDEXER_PASSWORD: 'server' };
    const valid = await run(['validate', 'upgrade-4.14.yaml'], { env });
    expect(valid.stderr).toContain('secret "api" occurs in the name of a host, play, step or variable');
    expect(valid.exitCode).toBe(0);
    const applied = await run(['apply', 'upgrade-4.14.yaml', '-y'], { env });
    expect([applied.exitCode, applied.stdout]).toEqual([0, expect.anything()]);
  });

  test('that stands in a play and a step makes nothing be done twice', async () => {
    const playbook = `playbook: Try
plays:
  - play: administer
    hosts: all
    serial: 1
    steps:
      - step: administer once
        command: { argv: [sh, -c, "echo admin >> @/count"], changes: everything, timeout: 10s }
        register: told
      - step: stop here once
        command: { argv: [test, -e, "@/go"], changes: everything, repeatable: true, timeout: 10s }
`;
    const { run, read, write } = open(localHarness(playbook, '{ db: { env: DB_PASSWORD } }'));
    const env = { DB_PASSWORD: 'admin' };
    expect((await run(['apply', 'test.yaml', '-y'], { env })).exitCode).toBe(1);
    write('go', '');
    expect((await run(['resume', '-y'], { env })).exitCode).toBe(0);
    expect(read('count')).toBe('admin\n');
  });
});

describe('a password in clear text', () => {
  const STEPS = `      - step: tell the service
        command: { argv: [curl, -u, "ops:hunter2-clear", "http://127.0.0.1:9/"], changes: everything, timeout: 10s }
      - step: set it
        http: { endpoint: api, method: PUT, path: /user, json: { user: ops, password: hunter2-clear } }
      - step: set a number
        http: { endpoint: api, method: PUT, path: /user, json: { password_length: 12, password: 73918264 } }
`;
  test('is a warning of validate, and no plan prints it', async () => {
    const { run, write } = open(localHarness(onePlay(STEPS), '{ db: { env: DB_PASSWORD } }'));
    server = createServer((_, response) => response.end('{"user":"ops"}')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    write(
      'inventory.yaml',
      `platform: {}
endpoints:
  api: { url: "http://127.0.0.1:${port}", user: ops, password: "{{secret.db}}", auth: basic }
secrets: { db: { env: DB_PASSWORD } }
hosts:
  a: { address: 127.0.0.1, machine: local }
`,
    );
    const env = { DB_PASSWORD: VALUE };
    const valid = await run(['validate', 'test.yaml'], { env });
    expect(valid.stderr).toContain('step "tell the service": the password after -u is written in clear text');
    expect(valid.stderr).toContain('step "set it": "password" is written in clear text');
    expect(valid.stderr).toContain('step "set a number": "password" is written in clear text');
    expect(valid.stderr).not.toContain('"password_length" is written');
    expect(valid.stderr).toContain('endpoint "api" sends its password without TLS');
    const plan = await run(['plan', 'test.yaml', '-D', '-v'], { env });
    expect(plan.stdout).toContain('curl -u ');
    expect(plan.stdout).toContain('password');
    for (const { stdout, stderr } of [valid, plan]) expect(`${stdout}${stderr}`).not.toMatch(/hunter2-clear|73918264/);
  });
});
