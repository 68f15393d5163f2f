import type { Format } from '../../report/document/format.js';
import { planDocument } from '../../report/document/plan-document.js';
import type { PlanState } from '../../report/plan/plan-state.js';
import { planPage } from '../../report/plan/plan-page.js';
import type { PlanSummary } from '../../report/plan/plan-summary.js';
import { planView } from '../../report/plan/plan-view.js';
import { whyOf, type PlacedStep } from '../../report/plan/why.js';
import { whyView } from '../../report/plan/why-view.js';
import { quote } from '../../lib/quote.js';
import { defined } from '../../lib/defined.js';
import type { Recorded } from '../../terms/event.js';
import { choose, type Choice } from '../run/choice.js';
import { stepsNamed } from '../run/steps-named.js';
import type { Flags } from '../options/flags.js';
import { compareWith, keepPlan } from '../plan/keep-plan.js';
import { isPlanFile } from '../plan/plan-file.js';
import { planNow } from '../plan/plan-now.js';
import { listHosts } from './list-hosts.js';
import { terminalOf } from '../terminal/terminal.js';
import { flagsOf } from '../options/platform-flags.js';
import { loadProject } from '../options/project.js';
import { writeSummary, writeVersion } from '../terminal/sinks.js';
import { warnOfUnfinished } from '../run/unfinished.js';
import { jsonText } from '../../report/json-text.js';

/** `runbook plan PLAYBOOK`: what would be done, read from the hosts, which are not changed. */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = await flagsOf('plan', argv);
  const project = await loadProject(flags, 'new run');
  return plan(choose(project, flags), flags, argv);
}

/** A plan of what was chosen; `by` and `argv` are repeated as the line that applies it. */
export async function plan(choice: Choice, flags: Flags, argv: readonly string[], by = 'apply'): Promise<number> {
  if (flags.listHosts) return listHosts(choice, flags.json);
  if (flags.why !== undefined) return explainPlan(stepsNamed(choice.project, flags.why), choice, flags);
  const planned = await planNow(choice, flags, { page: true });
  const { events, summary, code, mayApply } = planned;
  const compared = flags.compare === undefined ? [] : compareWith(flags.compare, events, choice);
  const written = flags.output === undefined ? undefined : keepPlan(flags.output, planned, choice, flags);
  if (flags.json) writeSummary(events, { verb: 'plan', exit: code, ...defined({ page: summary }) });
  if (flags.json || summary === undefined) return code;
  // A document is the whole of standard output: what else is to be said goes to standard error.
  const out = flags.format === undefined ? process.stdout : process.stderr;
  if (flags.format === undefined) showPlan(events, summary, flags);
  else process.stdout.write(await planText(events, summary, flags.format));
  // Its own rollback or resume is what may be done beside a run that is unfinished.
  const open = by === 'apply' ? warnOfUnfinished(flags) : undefined;
  const mustBeApproved =
    by === 'apply' && choice.project.inventory.approvals !== undefined && !argv.some((arg) => isPlanFile(arg));
  const next =
    !mayApply || open !== undefined
      ? []
      : summary.state.outside !== undefined
        ? [...(written ?? []), OUTSIDE]
        : (NOTHING[summary.state.is] ?? written ?? [mustBeApproved ? TO_APPROVE : applyLine(by, argv)]);
  for (const lines of [compared, next]) if (lines.length > 0) out.write(`\n${lines.join('\n')}\n`);
  return code;
}

const OUTSIDE =
  'To apply it then or now:  --window "OPENS/CLOSES" gives another window, --outside-window goes without.';

const TO_APPROVE = 'To apply:  plan again with -o FILE, and have that plan approved (runbook approve FILE)';

const NOTHING: Partial<Record<PlanState['is'], readonly string[]>> = {
  nothing: ['Nothing to do.'],
  'left-out': ['Nothing to do on the other hosts.'],
};

/** `--why`: in place of the plan, why it does or does not do these steps. */
async function explainPlan(found: readonly PlacedStep[], choice: Choice, flags: Flags): Promise<number> {
  const planned = await planNow(choice, { ...flags, json: false }, { page: false });
  const reasons = whyOf(found, planned.events);
  if (flags.json) writeVersion('runbook-why');
  const { checks } = choice.project.platform;
  const lines = flags.json ? reasons.map((why) => jsonText(why)) : [whyView(reasons, found, checks)];
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
  return planned.code;
}

/** What to type to apply a plan. */
export const applyLine = (by: string, argv: readonly string[]): string =>
  `To apply:  ${['runbook', by, quote(actingFlags(argv))].filter((w) => w !== '').join(' ')}`;

/** The first page before a run begins or goes on, above its question. */
export const showFirstPage =
  (flags: Flags) =>
  (summary: PlanSummary): void => {
    const page = planPage(summary, terminalOf(process.stderr), { begins: true, whole: flags.detail });
    process.stderr.write(`${page}\n\n`);
  };

/** The first page on standard output (`begins`: a run may follow), and the detail where it is asked for. */
export function showPlan(events: readonly Recorded[], summary: PlanSummary, flags: Flags, begins = false): void {
  process.stdout.write(`${planPage(summary, terminalOf(process.stdout), { begins, whole: flags.detail })}\n`);
  showDetail(events, flags);
}

export function showDetail(events: readonly Recorded[], flags: Flags): void {
  const terminal = terminalOf(process.stdout);
  if (flags.detail || flags.diff || flags.verbosity > 0)
    process.stdout.write(`\n${planView(events, { ...terminal, diff: flags.diff, verbose: flags.verbosity > 0 })}\n`);
}

/** A plan as a document for the ticket. */
export async function planText(events: readonly Recorded[], summary: PlanSummary, format: Format): Promise<string> {
  const { render } = await import('../../report/document/render.js');
  return render(planDocument(events, summary), format);
}

/** The flags of a dry run of an unfinished run, to be typed again; `where` names its inventory, where it must be named. */
export function withFlags(argv: readonly string[], where: string): string {
  const flags = actingFlags(argv).filter(
    (flag, i, all) => !/^(-i.*|--inventory(=.*)?)$/.test(flag) && !/^(-i|--inventory)$/.test(all[i - 1] ?? ''),
  );
  return `${where}${flags.length === 0 ? '' : ` ${quote(flags)}`}`;
}

/** The flags of a plan that an apply is to be given too. */
const actingFlags = (argv: readonly string[]): readonly string[] =>
  argv.filter(
    (a, i) =>
      !/^(-[CDv]+|--(check|dry-run|detail|diff|verbose|json|(compare|valid|format)(=.*)?))$/.test(a) &&
      !/^--(compare|valid|format)$/.test(argv[i - 1] ?? ''),
  );
