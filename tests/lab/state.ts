import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { takeShape, type Shape } from './topology.js';

/** A process that the lab started: its id and when it began, for ids are used again. */
export interface Owned {
  pid: number;
  startTicks: string;
}

/** What a lab that is up consists of, enough for `down`, `status` and `ssh` from another process. */
export interface LabState {
  from: string;
  shape: Shape;
  startedAt: string;
  hosts: Record<string, Owned>;
  server?: Owned;
  writer?: Owned;
}

/** Where the running lab lives: disks of the hosts, keys, inventory. Outside the work tree, `$RUNBOOK_LAB_RUN` moves it. */
export function runDir(): string {
  return process.env['RUNBOOK_LAB_RUN'] ?? '/var/lib/runbook-lab';
}

/** A path within the lab's run directory. */
export const inRun = (...parts: string[]): string => join(runDir(), ...parts);

/** The state of the lab, or undefined when none was brought up. */
export async function readState(): Promise<LabState | undefined> {
  if (!existsSync(inRun('state.json'))) return undefined;
  return JSON.parse(await readFile(inRun('state.json'), 'utf8')) as LabState;
}

/** The same, for a process that did not bring the lab up: from here on it has the shape of what is up. */
export async function meetLab(): Promise<LabState | undefined> {
  const state = await readState();
  if (state !== undefined) takeShape(state.shape);
  return state;
}

let saving: Promise<void> = Promise.resolve();

/** Replaces the state file; called after each process started, so that a crashed `up` can be cleaned up. */
export async function saveState(state: LabState): Promise<void> {
  const text = `${JSON.stringify(state, null, 2)}\n`;
  saving = saving.then(async () => {
    await mkdir(runDir(), { recursive: true, mode: 0o700 });
    await writeFile(inRun('.state.json'), text, { mode: 0o600 });
    await rename(inRun('.state.json'), inRun('state.json'));
  });
  await saving;
}

/** Names the process now, so that it can be told from a later one of the same id. */
export function ownedOf(pid: number): Owned {
  return { pid, startTicks: startTicks(pid) ?? 'gone' };
}

/** Whether that very process is alive still. */
export function isAlive(process: Owned): boolean {
  return startTicks(process.pid) === process.startTicks;
}

/** Field 22 of /proc/PID/stat; the command name before it may hold spaces, so count from its closing bracket. */
function startTicks(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
