// `npm run damages -- [--seeds N] [--from SEED] [--only TEXT]`: seeded damages of the files that a run relies on, and what their readers make of them.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { tryDamages, type Case } from './try.js';

/** No reader takes as long as this for one file: it hangs. */
const HANG_MS = 30_000;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '10000' },
    from: { type: 'string', default: '0' },
    only: { type: 'string', default: '' },
    worker: { type: 'boolean', default: false },
  },
});
const [from, count] = [Number(values.from), Number(values.seeds)];

async function work(): Promise<void> {
  const seeds = Array.from({ length: count }, (_, n) => from + n);
  for await (const one of tryDamages(seeds, values.only)) process.send?.(one);
}

const COLUMNS = ['noticed', 'no effect', 'accepted', 'crash'] as const;

/** The readers are in a process of their own, which is ended where one of them hangs. */
async function main(): Promise<number> {
  const counts = new Map<string, Record<Case['is'], number>>();
  const worker = fork(fileURLToPath(import.meta.url), [...process.argv.slice(2), '--worker']);
  let last = from - 1;
  let timer: NodeJS.Timeout | undefined;
  const watch = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => worker.kill('SIGKILL'), HANG_MS);
  };
  watch();
  worker.on('message', (one: Case) => {
    watch();
    last = one.seed;
    const row = counts.get(one.target) ?? { noticed: 0, 'no effect': 0, accepted: 0, crash: 0 };
    row[one.is] += 1;
    counts.set(one.target, row);
    if (one.is === 'accepted' || one.is === 'crash')
      console.log(
        `${one.is}: ${one.damage} of ${one.target} (seed ${one.seed})${one.why === undefined ? '' : `\n${one.why}`}`,
      );
  });
  const [status, signal] = await new Promise<[number | null, string | null]>((end) =>
    worker.on('exit', (...how) => end(how)),
  );
  clearTimeout(timer);
  const hangs = signal === 'SIGKILL' ? 1 : 0;
  if (hangs > 0) console.log(`hang: seed ${last + 1}`);
  console.log(`| File | ${COLUMNS.join(' | ')} |\n|---|${COLUMNS.map(() => '---:').join('|')}|`);
  for (const [name, row] of counts) console.log(`| ${name} | ${COLUMNS.map((is) => row[is]).join(' | ')} |`);
  const sum = (is: Case['is']): number => [...counts.values()].reduce((all, row) => all + row[is], 0);
  console.log(`| all | ${COLUMNS.map(sum).join(' | ')} |`);
  console.log(`hangs: ${hangs}`);
  return status === 0 && sum('accepted') + sum('crash') + hangs === 0 ? 0 : 1;
}

if (values.worker) await work();
else process.exitCode = await main();
