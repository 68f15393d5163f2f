import { EXIT } from './exit.js';
import { planNow, showPlan } from './plan.js';
import { whereOf, type Unfinished } from './unfinished.js';

/** `resume --dry-run`: what is left of the unfinished run, with the page of a plan. Nothing is changed, and nothing written. */
export async function planRest(unfinished: Unfinished): Promise<number> {
  const { flags } = unfinished;
  const planned = await planNow(unfinished, flags, { page: !flags.json, rest: unfinished });
  if (typeof planned === 'number') return planned;
  const { events, summary, code, mayApply } = planned;
  if (summary === undefined) return code;
  showPlan(events, summary, flags);
  if (mayApply) process.stdout.write(`\nTo continue it:  runbook resume${whereOf(flags)}\n`);
  return mayApply ? EXIT.done : code;
}
