import { findDamaged, findUnfinished, runsOf, type Runs } from '../journal/run-folder.js';
import type { Lock } from '../journal/lock.js';
import { nextForOpen } from '../report/next-commands.js';
import { planPage } from '../report/plan-page.js';
import { summaryOf } from '../report/plan-summary.js';
import { begin, mayAsk } from './begin.js';
import { choose, copyOf, type Choice } from './choice.js';
import { EXIT, invalid } from './exit.js';
import type { Flags } from './flags.js';
import { withLock } from './lock.js';
import { paperOf } from './paper.js';
import { plan } from './plan.js';
import { flagsOf } from './platform-flags.js';
import { loadProject } from './project.js';
import { sayUnreadable } from './trouble.js';
import { waysOf } from './way-back.js';

/** `runbook apply PLAYBOOK`: carries it out. */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = await flagsOf('apply', argv);
  if ('mistake' in flags) return invalid(flags.mistake);
  const project = await loadProject(flags);
  if (typeof project === 'number') return project;
  const choice = choose(project, flags);
  if ('mistake' in choice) return invalid(choice.mistake);
  if (flags.dryRun || flags.listHosts) return plan(choice, flags, argv);
  const runs = runsOf(project.inventory.files[0]?.file ?? 'inventory.yaml');
  return withLock('apply', runs, flags, (lock) => applyNow(choice, runs, flags, lock));
}

async function applyNow(choice: Choice, runs: Runs, flags: Flags, lock: Lock): Promise<number> {
  const refused = (await inTheWay(runs, flags)) ?? mayAsk(flags);
  if (refused !== undefined) return refused;
  return begin({
    ...{ choice, flags, runs, lock, copy: copyOf(choice.project, flags, choice.limit) },
    show: ({ events, context }) =>
      process.stderr.write(`${planPage(summaryOf(events, context), paperOf(process.stderr))}\n\n`),
    question: 'Start? [y/N]',
  });
}

async function inTheWay(runs: Runs, flags: Flags): Promise<number | undefined> {
  const unfinished = findUnfinished(runs);
  const damage = findDamaged(runs);
  if (damage !== undefined) sayUnreadable(EXIT.refused, damage);
  if (unfinished === undefined) return damage === undefined ? undefined : EXIT.refused;
  const { folder, state } = unfinished;
  process.stderr.write(`runbook: the run ${folder.id} of this inventory is unfinished\n`);
  process.stderr.write(`${nextForOpen(state, await waysOf(folder, flags)).join('\n')}\n`);
  return EXIT.locked;
}
