import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

describe('the bundle, on a machine without node and without a network', () => {
  let folder = '';
  let archive = '';
  let tools = '';

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'runbook-bundled-'));
    archive = join(folder, 'runbook.tar.gz');
    // All that the machine has, by name: there is no node among it.
    tools = join(folder, 'tools');
    mkdirSync(tools);
    for (const name of ['sh', 'tar', 'gzip', 'sha256sum', 'readlink', 'dirname', 'ln'])
      symlinkSync(join('/usr/bin', name), join(tools, name));
    await execa(process.execPath, [join(root, 'dist/cli/main.js'), 'bundle', '--with-node', '-o', archive]);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** In a network namespace of its own, which has no interface that is up. */
  const isolated = (script: string, cwd: string) =>
    execa('/usr/bin/unshare', ['-n', '/bin/sh', '-euc', script], {
      cwd,
      env: {
        PATH: tools,
        HOME: cwd,
        RUNBOOK_DEMO_API_PASSWORD: 'model-api-password',
        RUNBOOK_DEMO_INDEXER_PASSWORD: 'model-indexer-password',
      },
      extendEnv: false,
      reject: false,
    });

  test('is checked, unpacked and runs a whole upgrade on the model', async () => {
    const work = join(folder, 'work');
    mkdirSync(work);
    const inventory = readFileSync(join(root, 'tests/demo/inventory.yaml'), 'utf8');
    writeFileSync(join(work, 'inventory.yaml'), inventory.replace(/^model:.*$/m, 'model: { from: 4.12.0 }'));
    const unpacked = await isolated(
      '! command -v node; cd ..; sha256sum -c runbook.tar.gz.sha256; cd work; tar -xzf ../runbook.tar.gz; ln -s runbook-*/bin/runbook runbook; ./runbook --version',
      work,
    );
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };
    expect([unpacked.exitCode, unpacked.stdout]).toEqual([0, `runbook.tar.gz: OK\n${version}`]);
    const ran = await isolated(
      './runbook validate upgrade-4.14.yaml && ./runbook doctor && ./runbook apply upgrade-4.14.yaml -y',
      work,
    );
    expect([ran.exitCode, ran.stdout]).toEqual([0, expect.stringContaining('✓ Upgrade to release line 4.14: done')]);
  });

  test('reaches for hosts with all that is loaded late', async () => {
    const work = join(folder, 'work');
    writeFileSync(
      join(work, 'far.yaml'),
      'platform: { target: 4.14.7 }\nhosts:\n  a: { address: 127.0.0.1, ssh: { port: 1, user: ops } }\n',
    );
    writeFileSync(join(work, 'platform.yaml'), 'platform: Try\nroles: {}\n');
    writeFileSync(
      join(work, 'try.yaml'),
      'playbook: Try\nplays:\n  - play: Try\n    hosts: all\n    steps:\n      - step: Try\n        command: { argv: ["true"], changes: nothing, timeout: 10s }\n',
    );
    const ran = await isolated('./runbook doctor try.yaml -i far.yaml', work);
    expect([ran.exitCode, ran.stdout]).toEqual([1, expect.stringContaining('PROBLEMS')]);
    expect(`${ran.stdout}${ran.stderr}`).not.toMatch(/MODULE_NOT_FOUND|Cannot find/);
  });

  test('an archive that is there is not overwritten', async () => {
    const ran = await execa(process.execPath, [join(root, 'dist/cli/main.js'), 'bundle', '-o', archive], {
      reject: false,
    });
    expect([ran.exitCode, ran.stderr]).toEqual([2, expect.stringContaining('exists; nothing was written')]);
  });
});
