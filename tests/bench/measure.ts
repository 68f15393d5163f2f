import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What a program cost, with all that it started and waited for. `peakMb`: the largest single process of them, in 10⁶ bytes. */
export interface Cost {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly peakMb: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Program {
  readonly argv: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Runs a program to its end under time(1). Rejects, with what it said, when it fails: a failure is not fast. */
export async function cost({ argv, env, cwd }: Program): Promise<Cost> {
  const folder = mkdtempSync(join(tmpdir(), 'runbook-cost-'));
  const file = join(folder, 'cost');
  const startedMs = performance.now();
  const child = spawn('/usr/bin/time', ['-o', file, '-f', '%U %S %M', ...argv], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', ...env },
    ...(cwd === undefined ? {} : { cwd }),
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const exit = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  const wallMs = performance.now() - startedMs;
  const last = readFileSync(file, 'utf8').trim().split('\n').at(-1) ?? '';
  rmSync(folder, { recursive: true });
  if (exit !== 0)
    throw new Error(`${argv.join(' ')} ended with status ${exit}\n${stdout.slice(-2000)}\n${stderr.slice(-2000)}`);
  const [userS = 0, systemS = 0, peakKib = 0] = last.split(' ').map(Number);
  return { wallMs, cpuMs: (userS + systemS) * 1000, peakMb: (peakKib * 1024) / 1e6, stdout, stderr };
}

/** The middle one; of an even number the mean of the two in the middle. NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  return ((low ?? NaN) + (high ?? NaN)) / 2;
}

/** Does these in turn, so that what else the machine does falls on all of them alike; the results of each, in its place. */
export async function inTurn<T>(
  rounds: number,
  contestants: readonly (() => Promise<T>)[],
): Promise<readonly (readonly T[])[]> {
  const results = contestants.map((): T[] => []);
  for (let round = 0; round < rounds; round += 1)
    for (const [i, run] of contestants.entries()) results[i]?.push(await run());
  return results;
}
