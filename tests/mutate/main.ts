import { parseArgs } from 'node:util';
import { assertedBy, itemMutants, writeAsserted } from './carriers.js';
import { coursesOf } from './courses.js';
import { judgeAll, type Judged } from './pool.js';
import type { Verdict } from './judge.js';
import { sampled } from './sample.js';
import { allMutants } from './shipped.js';
import { reasonOf, reasons } from './survivors.js';

const { values: flags } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    share: { type: 'string', default: '1' },
    file: { type: 'string', multiple: true },
    mutant: { type: 'string', multiple: true },
    /** Ends with 1 below this score, whatever has a reason: for CI. */
    least: { type: 'string' },
    patience: { type: 'string', default: '60' },
    workers: { type: 'string', default: '2' },
    carriers: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
});

const started = performance.now();
const mutants = allMutants();
const items = flags.carriers ? itemMutants(mutants) : [];
const wanted = new Set(items.flatMap(({ needs }) => needs.flat()));
const chosen = flags.carriers
  ? [...wanted].sort((a, b) => a - b)
  : sampled(mutants, {
      seed: Number(flags.seed),
      share: Number(flags.share),
      fits: ({ id, file }) => (flags.file?.includes(file) ?? true) && (flags.mutant?.includes(id) ?? true),
    });
const judged: Judged[] = [];
const courses = await coursesOf(Number(flags.workers), console.error);
console.error(`${chosen.length} of ${mutants.length} mutants`);
await judgeAll(chosen, {
  workers: Number(flags.workers),
  courses,
  patienceMs: Number(flags.patience) * 1000,
  each: (one) => {
    judged.push(one);
    if (flags.carriers) writeAsserted(assertedBy(items, judged));
    if (flags.verbose)
      console.log(`${mutants[one.nth]?.id ?? ''}\n    ${JSON.stringify(one.verdict)} ${one.tookMs} ms`);
    else if (judged.length % 50 === 0) console.error(`${judged.length} judged: ${scoreOf()}`);
  },
});

function counted(): readonly [killed: number, accepted: number] {
  const is = judged.map(({ verdict }) => verdict.is);
  return [is.filter((one) => one === 'killed').length, is.filter((one) => one !== 'refused').length];
}

function scoreOf(): string {
  const [killed, accepted] = counted();
  const seconds = Math.round((performance.now() - started) / 1000);
  const percent = accepted === 0 ? 0 : Math.floor((1000 * killed) / accepted) / 10;
  return `${killed} of ${accepted} accepted mutants killed (${percent} %), ${judged.length - accepted} refused by validate, ${seconds} s`;
}

const triedBy = (verdict: Verdict): string =>
  'tried' in verdict && verdict.tried > 0 ? `${verdict.tried} scenarios tried` : 'no scenario comes by';
const known = reasons();
const survivors = judged.filter(({ verdict }) => verdict.is === 'survived').toSorted((a, b) => a.nth - b.nth);
let unexplained = 0;
for (const { nth, verdict } of survivors) {
  const mutant = mutants[nth];
  if (mutant === undefined) continue;
  const reason = reasonOf(mutant.id, known);
  if (reason === undefined) unexplained += 1;
  console.log(
    `playbooks/${mutant.file}:${mutant.line}: ${mutant.kind}: ${mutant.id}\n    ${reason ?? `NO REASON; ${triedBy(verdict)}`}`,
  );
}
console.log(scoreOf());
if (unexplained > 0) console.log(`${unexplained} survivors have no reason in tests/mutate/survivors.yaml`);
// Everything refused would prove nothing.
const proved = judged.some(({ verdict }) => verdict.is === 'killed');
const [killed, accepted] = counted();
const enough = flags.least === undefined ? unexplained === 0 : killed >= (accepted * Number(flags.least)) / 100;
process.exitCode = enough && proved ? 0 : 1;
