import type { Runs } from '../../journal/run-folder.js';
import { sha256 } from '../../lib/hash.js';
import { count } from '../../lib/count.js';
import { quote } from '../../lib/quote.js';
import { doneBeforeLines } from '../../report/plan/done-before.js';
import { planDifferenceLines } from '../../report/plan/plan-differences-view.js';
import { isWhole } from '../../report/plan/plan-state.js';
import { planDocument } from '../../report/document/plan-document.js';
import { planPage } from '../../report/plan/plan-page.js';
import { planView } from '../../report/plan/plan-view.js';
import { planDifferences, plannedSteps } from '../../report/plan/planned-steps.js';
import type { Recorded } from '../../terms/event.js';
import { copyOf, hashOf, type Choice } from '../run/choice.js';
import { doneSince, runThatDid, type DoneSince } from './done-since.js';
import { EXIT, invalid, refusal } from '../options/exit.js';
import type { Flags } from '../options/flags.js';
import { choosingArgv, readPlanFile, timeText, writePlanFile, type PlanFile } from './plan-file.js';
import { approveLines } from './approvals.js';
import type { Planned } from './planned.js';
import { runsOfProject } from '../options/project.js';

const TERMINAL = { color: false, width: 120 };

/** `plan -o FILE`: writes a plan that can be applied; gives the lines that say so. */
export function keepPlan(
  file: string,
  { events, mayApply, summary }: Planned,
  choice: Choice,
  flags: Flags,
): readonly string[] | undefined {
  if (!mayApply || summary === undefined || !isWhole(summary.state)) return undefined;
  const { project } = choice;
  // On the clock of the page: that of the model where all hosts are of it.
  const untilMs = summary.atMs + flags.validMs;
  try {
    const id = writePlanFile(file, {
      hash: hashOf(copyOf(project, flags, choice.limit)),
      files: Object.fromEntries(
        [...project.playbook.files, ...project.inventory.files].map((f) => [f.file, sha256(f.text)]),
      ),
      argv: choosingArgv(flags, process.env),
      cwd: process.cwd(),
      atMs: Date.now(),
      untilMs,
      steps: plannedSteps(events),
      page: planPage(summary, TERMINAL),
      detail: planView(events, { ...TERMINAL, diff: true, verbose: false }),
      document: planDocument(events, summary),
    });
    return [
      `Written to ${file} (${id}); it can be applied once, until ${timeText(untilMs)}.`,
      ...approveLines(project, file),
      `Apply exactly this:  runbook apply ${quote([file])}`,
    ];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw invalid(`${file} exists; name another file, or remove it`);
    throw refusal(EXIT.refused, `the plan cannot be written to ${file} (${code ?? String(error)})`);
  }
}

/** `plan --compare FILE`: what changed since that plan was made. */
export function compareWith(file: string, events: readonly Recorded[], { project }: Choice): readonly string[] {
  const read = readPlanFile(file);
  const { differences, before } = differencesFrom(read.plan, events, runsOfProject(project));
  const sum =
    differences.length === 0
      ? `No differences from ${file} (${read.id}).`
      : `${count(differences.length, 'difference')} from ${file} (${read.id}):`;
  return [sum, ...planDifferenceLines(differences), ...doneBeforeLines(before, 'since that plan')];
}

/** What a plan that was just made decides otherwise than the one in a file. */
export function differencesFrom(
  { steps, atMs }: PlanFile,
  events: readonly Recorded[],
  runs: Runs,
): ReturnType<typeof planDifferences> {
  let done: DoneSince | undefined;
  return planDifferences(steps, plannedSteps(events), (step) => runThatDid((done ??= doneSince(runs, atMs)), step));
}
