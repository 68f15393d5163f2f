// `npm run kills -- [--count 300] [--seed 1] [--at-once 2]`: a run on real sshd whose controller is killed at a seeded moment, then resumed; the same with what
// its journal has behind the last synced record removed, as a loss of power does. Each must end as the uninterrupted run. Needs root.
import { parseArgs } from 'node:util';
import { seededPick } from '../damages/random.js';
import { startKillHosts, type KillHosts } from './hosts.js';
import { killedRun, wholeRun, type Moment, type Result } from './round.js';

/** A command on a host takes about so long from its record to its end. */
const LATER_MS = 250;
const WHEN = ['before', 'after', 'later'] as const;

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    'at-once': { type: 'string', default: '2' },
  },
});
const [count, seed, atOnce] = [Number(values.count), Number(values.seed), Number(values['at-once'])];

function momentOf(of: number, writes: number): Moment {
  const pick = seededPick(of);
  return { write: 1 + pick(writes), when: WHEN[pick(WHEN.length)] ?? 'later', laterMs: pick(LATER_MS) };
}

/** What became of the runs, in the columns of a table. */
const COLUMNS: Readonly<Record<string, (result: Result) => boolean>> = {
  'same end': ({ is }) => is === 'same',
  'of these not begun, applied again': ({ is, how }) => is === 'same' && how === 'not begun',
  'done already': ({ is, how }) => is === 'same' && how === 'done already',
  'a step not known, asked for': ({ asked }) => asked > 0,
  refused: ({ is }) => is === 'refused',
  different: ({ is }) => is === 'different',
  hang: ({ is }) => is === 'hang',
};

const lanes = await Promise.all(Array.from({ length: atOnce }, startKillHosts));
const [first] = lanes;
if (first === undefined) throw new Error('--at-once is at least 1');
const startMs = performance.now();
try {
  const { end, writes } = await wholeRun(first);
  const killed: Result[] = [];
  const tailLost: Result[] = [];
  const seeds = Array.from({ length: count }, (_, n) => seed + n);
  const tell = (name: string, of: number, result: Result): void => {
    if (result.is !== 'same') console.log(`${result.is}: seed ${of}, ${name}\n${result.why.replaceAll(/^/gm, '    ')}`);
  };
  const work = async (hosts: KillHosts): Promise<void> => {
    for (let of = seeds.shift(); of !== undefined; of = seeds.shift()) {
      const moment = momentOf(of, writes);
      const results = await killedRun(hosts, end, moment);
      const at = `killed ${moment.when} write ${moment.write} of ${writes}`;
      killed.push(results.killed);
      tell(at, of, results.killed);
      if (results.tailLost === undefined) continue;
      tailLost.push(results.tailLost);
      tell(`${at}, unsynced records lost`, of, results.tailLost);
    }
  };
  // An interrupt completes the rounds at hand, and shows what there is. Not `once`: execa ends this process at a signal that nothing else listens to.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void (seeds.length = 0));
  // Several at once, each with hosts of its own: most of a round is waiting.
  await Promise.all(lanes.map(work));
  const rows = { 'the journal as it was': killed, 'without its unsynced records': tailLost };
  console.log(`| Resumed with | kills | ${Object.keys(COLUMNS).join(' | ')} |`);
  console.log(`|---|---:|${'---:|'.repeat(Object.keys(COLUMNS).length)}`);
  for (const [name, results] of Object.entries(rows)) {
    const cells = Object.values(COLUMNS).map((is) => results.filter(is).length);
    console.log(`| ${[name, results.length, ...cells].join(' | ')} |`);
  }
  console.log(`seeds from ${seed}, ${((performance.now() - startMs) / 1000).toFixed(0)} s`);
  process.exitCode = [...killed, ...tailLost].every(({ is }) => is === 'same') ? 0 : 1;
} finally {
  await Promise.all(lanes.map((hosts) => hosts.stop()));
}
