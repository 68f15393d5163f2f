import { spawnSync } from 'node:child_process';

/** After the last system test the lab is gone; `RUNBOOK_LAB_AS_IS=1` keeps it for trying by hand. */
export default function teardown() {
  if (process.env.RUNBOOK_LAB_AS_IS === '1') return;
  spawnSync(process.execPath, ['--import', 'tsx', 'tests/lab/main.ts', 'down'], { stdio: 'inherit' });
}
