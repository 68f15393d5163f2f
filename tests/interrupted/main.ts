// `npm run interrupted [-- --only TEXT] [--every N]`: the upgrade on the model ended after each step that acted, then released or its run folder
// lost, then applied again, also with --from-hosts. Each case must end as the uninterrupted run, or be refused before any change.
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { shippedProject } from '../playbooks/platform-bench.js';
import { casesOf, tryCase, wholeUpgrade, type Result } from './cases.js';
import { platformOf, SCENARIOS } from './scenarios.js';

/** At most so much of all cases may be refused. */
const REFUSED_SHARE = 0.05;

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    way: { type: 'string', default: '' },
    every: { type: 'string', default: '1' },
    parts: { type: 'string', default: String(availableParallelism()) },
    part: { type: 'string' },
  },
});
const scenarios = SCENARIOS.filter(({ name }) => name.includes(values.only));

type Message =
  | { readonly scenario: string; readonly tasks: number; readonly points: number }
  | { readonly scenario: string; readonly name: string; readonly result: Result };

/** One of several processes: every case whose turn is this one's. */
async function work(part: number, parts: number, send: (message: Message) => void): Promise<void> {
  const shipped = await shippedProject();
  for (const scenario of scenarios) {
    const { project, state } = platformOf(shipped, scenario);
    const whole = await wholeUpgrade(project, state);
    if (part === 0) send({ scenario: scenario.name, tasks: whole.tasks, points: whole.points.length });
    const cases = casesOf(whole).filter(({ nth, way }) => nth % Number(values.every) === 0 && way.includes(values.way));
    for (const [i, one] of cases.entries()) {
      if (i % parts !== part) continue;
      send({ scenario: scenario.name, name: one.name, result: await tryCase(project, whole, one) });
    }
  }
}

async function main(parts: number): Promise<number> {
  const counts = { same: 0, asked: 0, refused: 0, different: 0 };
  const receive = (message: Message): void => {
    if (!('result' in message)) {
      console.log(`${message.scenario}: ${message.tasks} tasks, ${message.points} of them acted`);
      return;
    }
    const { scenario, name, result } = message;
    counts[result.is] += 1;
    if (result.is !== 'same') console.log(`${result.is}: ${scenario}, ${name}\n    ${result.why}`);
  };
  const ends = Array.from({ length: parts }, (_, part) => {
    const args = [...process.argv.slice(2), `--part=${part}`, `--parts=${parts}`];
    const worker = fork(fileURLToPath(import.meta.url), args);
    worker.on('message', receive);
    return new Promise<number | null>((end) => worker.on('exit', end));
  });
  const failed = (await Promise.all(ends)).some((status) => status !== 0);
  const { same, asked, refused, different } = counts;
  const all = same + asked + refused + different;
  console.log(
    `${all} cases: ${same} end as the uninterrupted run, ${asked} ask what became of a step, ${refused} are refused, ${different} end otherwise`,
  );
  return failed || all === 0 || different > 0 || refused > all * REFUSED_SHARE ? 1 : 0;
}

const parts = Number(values.parts);
if (values.part === undefined) process.exitCode = await main(parts);
else await work(Number(values.part), parts, (message) => process.send?.(message));
