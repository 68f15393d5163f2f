import { parseArgs } from 'node:util';
import { startCluster, type Cluster } from '../lab/nats.js';

/** What a trial is given, and how it reports. */
export interface Trial {
  readonly rounds: number;
  readonly minutes: number;
  readonly cluster: Cluster;
  /** A whole number below the limit: the same sequence for the same seed. */
  readonly pick: (below: number) => number;
  readonly line: (text: string) => void;
  /** Prints a rule, and whether it was kept; a broken one is the exit code. */
  readonly rule: (text: string, isKept: boolean) => void;
  /** What ends something that this trial started, also when the trial is interrupted; the function that it returns does it now. */
  readonly atEnd: (end: () => unknown) => () => Promise<void>;
}

/** `--rounds N --seed S --minutes M` */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '60' },
  },
});

/** Runs a trial on three real servers, and removes what it left however it ends. */
export async function runTrial(rounds: number, body: (trial: Trial) => Promise<void>): Promise<void> {
  const ends: (() => unknown)[] = [];
  const endEach = async (): Promise<void> => {
    for (let end = ends.pop(); end !== undefined; end = ends.pop())
      await Promise.resolve(end()).catch((error: unknown) => console.error(error));
  };
  let ending: Promise<void> | undefined;
  const endAll = (): Promise<void> => (ending ??= endEach());
  const interrupted = new AbortController();
  const interrupt = (): void => {
    interrupted.abort();
    void endAll().then(() => process.exit(130));
  };
  // Not `once`: execa ends this process at a signal that nothing else listens to.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupt);
  const startMs = performance.now();
  let broken = 0;
  try {
    const cluster = await startCluster();
    ends.push(() => cluster.stop());
    await body({
      rounds: values.rounds === undefined ? rounds : Number(values.rounds),
      minutes: Number(values.minutes),
      cluster,
      pick: seeded(Number(values.seed)),
      line: (text) => console.log(text),
      rule(text, isKept) {
        if (!isKept) broken += 1;
        console.log(`${isKept ? 'kept  ' : 'BROKEN'} ${text}`);
      },
      atEnd(end) {
        ends.push(end);
        return async () => {
          const at = ends.indexOf(end);
          if (at >= 0) await ends.splice(at, 1)[0]?.();
        };
      },
    });
  } finally {
    await endAll();
    // What it was in the middle of has failed.
    if (interrupted.signal.aborted) process.exit(130);
  }
  console.log(`seed ${values.seed}, ${((performance.now() - startMs) / 1000).toFixed(0)} s`);
  process.exitCode = broken === 0 ? 0 : 1;
}

/** A small generator (mulberry32), so that a trial can be repeated. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** How many there are of each, the most frequent first: `5: 49, 0: 1`. */
export function counts(of: readonly unknown[]): string {
  const all = new Map<string, number>();
  for (const each of of) all.set(String(each), (all.get(String(each)) ?? 0) + 1);
  const rows = [...all].sort(([, a], [, b]) => b - a).map(([name, count]) => `${name}: ${count}`);
  return rows.join(', ') || 'none';
}

/** Does work for each round, several at once: most of a round is waiting. The results are in the order of the rounds. */
export async function inRounds<T>(
  rounds: number,
  atOnce: number,
  work: (round: number) => Promise<T>,
): Promise<readonly T[]> {
  const results: T[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let round = next++; round < rounds; round = next++) results[round] = await work(round);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return results;
}
