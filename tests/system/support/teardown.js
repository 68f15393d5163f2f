import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** After the last system test the lab is taken down, when one of these tests brought it up: they run in this very process. */
export default function teardown() {
  const run = process.env.RUNBOOK_LAB_RUN ?? '/var/lib/runbook-lab';
  let owner;
  try {
    owner = readFileSync(join(run, 'owner'), 'utf8');
  } catch {
    return;
  }
  if (owner !== String(process.pid)) return;
  spawnSync(process.execPath, ['--import', 'tsx', 'tests/lab/main.ts', 'down'], { stdio: 'inherit' });
}
