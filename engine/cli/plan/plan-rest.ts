import { EXIT } from '../options/exit.js';
import { defined } from '../../lib/defined.js';
import { planText, showPlan, withFlags } from '../commands/plan.js';
import { planNow } from './plan-now.js';
import { writeSummary } from '../terminal/sinks.js';
import { whereOfRun, type Unfinished } from '../run/unfinished.js';

/** `resume --dry-run`: what is left of the unfinished run, with the page of a plan. Nothing is changed, and nothing written. */
export async function planRest(unfinished: Unfinished, argv: readonly string[]): Promise<number> {
  const { flags, copy } = unfinished;
  const planned = await planNow(unfinished, flags, { page: true, rest: unfinished });
  const { events, summary, code, mayApply } = planned;
  if (flags.json) writeSummary(events, { verb: 'plan', exit: code, ...defined({ page: summary }) });
  if (flags.json || summary === undefined) return code;
  // A document is the whole of standard output: what else is to be said goes to standard error.
  const out = flags.format === undefined ? process.stdout : process.stderr;
  if (flags.format === undefined) showPlan(events, summary, flags);
  else process.stdout.write(await planText(events, summary, flags.format));
  if (mayApply && code !== EXIT.locked)
    out.write(`\nTo continue it:  runbook resume${withFlags(argv, whereOfRun(copy, flags))}\n`);
  return code;
}
