import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync } from 'node:fs';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

const program = join(process.cwd(), 'dist/cli/main.js');

/** A folder with the demo's inventory, for the built program to work in. */
export function openModelFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'runbook-pictures-'));
  cpSync('tests/demo/inventory.yaml', join(folder, 'inventory.yaml'));
  const env = {
    ...process.env,
    // What succeeded here is no rehearsal of the user's own.
    XDG_STATE_HOME: folder,
    RUNBOOK_DEMO_API_PASSWORD: 'model-api-password',
    RUNBOOK_DEMO_INDEXER_PASSWORD: 'model-indexer-password',
  };
  /** Whoever makes the pictures is not in them. */
  const anonymous = (text: string): string =>
    text.replaceAll(`${userInfo().username}@${hostname()}`, 'ops@bastion').replaceAll(folder, '/srv/upgrade');
  return {
    folder,
    /** What it prints on standard output. */
    runbook(...args: readonly string[]): string {
      const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
        ...{ cwd: folder, env, encoding: 'utf8' },
      });
      if (status !== 0) throw new Error(`runbook ${args.join(' ')} ended with status ${String(status)}\n${stderr}`);
      return anonymous(stdout);
    },
    /** The same on a terminal of this width; the exit code may be any. */
    onTerminal(columns: number, ...args: readonly string[]): string {
      const line = [process.execPath, program, ...args].map((word) => `'${word}'`).join(' ');
      const command = `stty cols ${columns} rows 24; ${line} 2>/dev/null`;
      const { stdout } = spawnSync('script', ['-qec', command, '/dev/null'], {
        ...{ cwd: folder, env: { ...env, TERM: 'xterm', SHELL: '/bin/sh' }, encoding: 'utf8' },
      });
      return anonymous(stdout);
    },
    /** A platform of its own that lives as long as `use` takes. */
    async withModel(use: () => void, faults: readonly object[] = []): Promise<void> {
      const args = ['model', 'upgrade-4.14.yaml', '-e', JSON.stringify({ faults })];
      const model = spawn(process.execPath, [program, ...args], {
        ...{ cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] },
      });
      await new Promise((resolve) => model.stdout.once('data', resolve));
      use();
      model.kill('SIGTERM');
      await new Promise((resolve) => model.once('exit', resolve));
    },
  };
}
