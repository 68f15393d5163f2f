import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { leaseFile, lockFile, pendingTask } from './host-files.js';
import { DAMAGES } from './kinds.js';
import { seededPick } from './random.js';
import { planFile, runFiles } from './run-files.js';
import type { Judged, Target } from './target.js';

export interface Case {
  readonly target: string;
  readonly damage: string;
  readonly seed: number;
  readonly is: Judged | 'crash';
  readonly why?: string;
}

/** Makes each damage of each file, one for each seed in turn. */
export async function* tryDamages(seeds: Iterable<number>, only = ''): AsyncGenerator<Case> {
  const root = mkdtempSync(join(tmpdir(), 'runbook-damages-'));
  try {
    const targets: readonly Target[] = [
      ...runFiles(root),
      planFile(root),
      await lockFile(root),
      await leaseFile(),
      pendingTask(),
    ].filter(({ name }) => name.includes(only));
    const isPossible = (target: Target, damage: string): boolean =>
      target.without?.includes(damage) !== true && DAMAGES[damage]?.(target.source, seededPick(0)) !== 'none';
    const pairs = targets.flatMap((target) =>
      Object.keys(DAMAGES).flatMap((damage) => (isPossible(target, damage) ? [{ target, damage }] : [])),
    );
    for (const seed of seeds) {
      const pair = pairs[seed % pairs.length];
      if (pair !== undefined) yield await tryOne(pair.target, pair.damage, seed);
    }
  } finally {
    rmSync(root, { recursive: true });
  }
}

async function tryOne(target: Target, damage: string, seed: number): Promise<Case> {
  const named = { target: target.name, damage, seed };
  const bytes = DAMAGES[damage]?.(target.source, seededPick(seed));
  if (bytes === 'none' || bytes?.equals(target.source.now) === true) return { ...named, is: 'no effect' };
  try {
    return { ...named, is: await target.judge(bytes) };
  } catch (error) {
    return { ...named, is: 'crash', why: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
