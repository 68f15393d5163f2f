import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inRun, meetLab, readState } from '../../lab/state.js';
import { takeShape, type Shape } from '../../lab/topology.js';

const program = join(import.meta.dirname, '..', '..', 'lab', 'main.ts');

/** Brings up a lab of its own in a release. `RUNBOOK_LAB_AS_IS=1` takes the one that is up, to try a test by hand. */
export async function freshLab(from = '4.12.0', shape: Shape = 'cluster'): Promise<void> {
  takeShape(shape);
  if (process.env['RUNBOOK_LAB_AS_IS'] === '1' && (await readState()) !== undefined) return;
  await bringUp(from, shape);
}

/** A lab with a cluster, in whatever release: the one that is up when it has one. */
export async function anyLab(): Promise<void> {
  if ((await meetLab())?.shape === 'cluster') return;
  await freshLab();
}

/** Only the process that brought the lab up takes it down (`teardown.js`). */
async function bringUp(from: string, shape: Shape): Promise<void> {
  await lab('up', '--from', from, '--shape', shape);
  await writeFile(inRun('owner'), String(process.pid));
}

/** The lab's own command line, in a process of its own: what it starts has to outlive the test that asked for it. */
function lab(...args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, ['--import', 'tsx', program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (said += part.toString()));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`lab ${args.join(' ')}: status ${code ?? -1}\n${said.slice(-4000)}`)),
    );
  });
}
