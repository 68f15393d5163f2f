import { notRestored } from '../report/not-restored.js';
import { EXIT } from './exit.js';
import { defined } from '../language/values.js';
import { planNow, showPlan } from './plan.js';
import { writeSummary } from './sinks.js';
import { whereOf, type Unfinished } from './unfinished.js';

/** `resume --dry-run`: what is left of the unfinished run, with the page of a plan. Nothing is changed, and nothing written. */
export async function planRest({ folder, past, state, hash, flags, ...choice }: Unfinished): Promise<number> {
  const planned = await planNow(choice, flags, { page: true, rest: { folder, past, hash } });
  if (typeof planned === 'number') return planned;
  const { events, summary, code, mayApply } = planned;
  const exit = mayApply ? EXIT.done : code;
  if (flags.json) writeSummary(events, { verb: 'plan', exit, ...defined({ page: summary }) });
  if (flags.json || summary === undefined) return exit;
  showPlan(events, summary, flags);
  const made = notRestored([...state.debts.values()]);
  process.stdout.write(`\nThis is the rest of the run ${folder.id}.\n`);
  if (made.length > 0) process.stdout.write(`Changed since it began, not restored yet: ${made.join(' · ')}\n`);
  if (mayApply) process.stdout.write(`To continue it:  runbook resume${whereOf(flags)}\n`);
  return exit;
}
