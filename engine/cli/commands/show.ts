import { existsSync } from 'node:fs';
import { isEarlier } from '../../journal/earlier.js';
import { foldAll } from '../../journal/fold.js';
import { isUnfinished } from '../../journal/state.js';
import {
  copyDamage,
  findCopy,
  inspectEvents,
  listRuns,
  openRunFolder,
  otherKind,
  type RunFolder,
} from '../../journal/run-folder.js';
import { didYouMean } from '../options/did-you-mean.js';
import { auditLines } from '../../report/audit-lines.js';
import { endView } from '../../report/end/end-view.js';
import { itemsCsv } from '../../report/end/items-view.js';
import { doneOptions } from '../plan/done-options.js';
import { planOutcomeLines } from '../../report/plan/plan-outcome-view.js';
import { planView } from '../../report/plan/plan-view.js';
import type { SummaryContext } from '../../report/run-summary.js';
import type { Recorded } from '../../terms/event.js';
import { askNow } from '../run/ask-now.js';
import { notAsBefore } from '../../report/checks/baseline.js';
import { baselinesOf } from '../run/baseline.js';
import { causesOf } from '../run/causes.js';
import { EXIT, exitOf, invalid, refusal } from '../options/exit.js';
import { parseFlags, type Flags } from '../options/flags.js';
import { plannedOf } from '../plan/plan-of-run.js';
import { linkLines, linksOf } from '../terminal/links.js';
import { inUse } from '../run/lock.js';
import { terminalOf } from '../terminal/terminal.js';
import { plannedDone } from '../plan/planned-done.js';
import { inventoryOf, isPlanFile, readPlanFile, runOfPlan, timeText } from '../plan/plan-file.js';
import { writeEvents } from '../terminal/sinks.js';
import { unreadableRefusal } from '../terminal/io-errors.js';
import { runsFor, otherKindRefusal, whereOf } from '../run/unfinished.js';
import { isWaiver, shownEvents } from '../run/waiver-approvals.js';
import { nextForUnfinished, waysOf } from '../run/rollback-options.js';

/** `runbook show [RUN]`: what a run did, in the words of the plan, and how it ended; of a plan file, the plan. */
export function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags('show', argv);
  const [file] = flags.positionals;
  if (file !== undefined && isPlanFile(file)) return showPlanFile(file, flags);
  if (flags.format !== undefined) {
    const words = ['runbook', 'report', ...flags.positionals, '--format', flags.format];
    throw invalid(`--format is for plan files; of a run: ${words.join(' ')}`);
  }
  if (file !== undefined && !mayBeRun(file))
    throw invalid(existsSync(file) ? `${file} is not a plan (plan -o FILE writes one)` : `there is no file ${file}`);
  const folder = pickRun('show', flags);
  return show(folder, flags);
}

/** A plan as it was printed, and until when it can be applied. */
async function showPlanFile(file: string, flags: Flags): Promise<number> {
  const read = readPlanFile(file);
  const { id, digest, plan } = read;
  if (flags.format !== undefined) {
    const { render } = await import('../../report/document/render.js');
    process.stdout.write(render(plan.document, flags.format));
    return EXIT.done;
  }
  const used = runOfPlan(runsFor({ ...flags, ...inventoryOf(plan) }), digest);
  const state =
    used === undefined ? `valid until ${timeText(plan.untilMs)}, not applied yet` : `applied by the run ${used}`;
  const parts = [plan.page, ...(flags.detail || flags.diff ? [plan.detail] : []), `${file} (${id}): ${state}`];
  process.stdout.write(`${parts.join('\n\n')}\n`);
  return EXIT.done;
}

export async function show(folder: RunFolder, flags: Flags): Promise<number> {
  const { events, damage } = inspectEvents(folder);
  if (damage !== undefined && isEarlier(folder.journalFile)) throw unreadableRefusal(EXIT.refused, { folder, damage });
  await print(folder, flags, await shownEvents(folder, events));
  const wrong = damage ?? copyDamage(folder);
  if (wrong !== undefined) throw unreadableRefusal(EXIT.refused, { folder, damage: wrong });
  return EXIT.done;
}

async function print(folder: RunFolder, flags: Flags, events: readonly Recorded[]): Promise<void> {
  if (flags.json) {
    writeEvents(events, summaryContext(folder, events));
    return;
  }
  if (flags.itemsCsv) {
    process.stdout.write(itemsCsv(events));
    return;
  }
  const terminal = terminalOf(process.stdout);
  const done = planView(events, { ...terminal, ...doneOptions(flags) });
  const ways = await waysOf(folder, flags);
  const planned = plannedOf(folder);
  const now = await askNow({ folder, flags, past: events, planned });
  const user = listRuns(runsFor(flags)).at(-1) === folder.id ? inUse(runsFor(flags), events.at(-1)?.atMs) : undefined;
  const isRollback = findCopy(folder)?.backFrom !== undefined;
  const state = foldAll(events.map(({ event }) => event));
  const about = [
    ...auditLines(events, isRollback),
    ...linkLines(linksOf(runsFor(flags), folder.id), isUnfinished(state)),
    ...(events.some(isWaiver)
      ? [`To approve what was waived, by another person:  runbook approve ${folder.id}${whereOf(flags)}`]
      : []),
    '',
  ]
    .map((line) => `${line}\n`)
    .join('');
  const comparison = plannedDone(folder, events, runsFor(flags), planned);
  const lines = comparison === undefined ? [] : planOutcomeLines(comparison, user !== undefined);
  const compared = lines.map((line) => `${line}\n`);
  process.stdout.write(
    `${done}\n\n${about}${compared.join('')}${endView(events, { ...terminal, folder: folder.path, ways, worse: notAsBefore(baselinesOf(folder)), causes: causesOf(folder, events), ...(now === undefined ? {} : { now }), ...(user === undefined ? {} : { inUse: user }) })}\n`,
  );
  // Of a rollback that was closed or refused: the upgrade is still there.
  const next =
    state.ended?.as === 'closed' || state.ended?.as === 'refused' ? await nextForUnfinished(flags) : undefined;
  if (next !== undefined) process.stdout.write(`\n${next}\n`);
}

/** Of a run that is shown: its own exit code. */
export const summaryContext = (folder: RunFolder, events: readonly Recorded[]): SummaryContext => ({
  verb: 'show',
  exit: exitOfRun(events),
  components: plannedOf(folder)?.components ?? [],
});

export function exitOfRun(events: readonly Recorded[]): number {
  const { ended } = foldAll(events.map(({ event }) => event));
  return ended === undefined ? EXIT.interrupted : exitOf(ended.as);
}

/** A run's name, or the beginning of one; a file is called otherwise. */
export const mayBeRun = (name: string): boolean => /^\d[\w-]*$/.test(name);

/** The run named, by as much of its name as tells it from the others; without a name the newest one. */
export function pickRun(command: string, flags: Flags): RunFolder {
  const runs = runsFor(flags);
  const ids = listRuns(runs);
  const [name, ...more] = flags.positionals;
  if (more.length > 0) throw invalid('one run at a time');
  const others = otherKind(runs);
  const other = listRuns(others).findLast((id) => !ids.includes(id) && (name === undefined || id.startsWith(name)));
  if (other !== undefined && !ids.some((id) => name === undefined || id.startsWith(name)))
    throw otherKindRefusal(runs, openRunFolder(others, other), [command, ...flags.positionals].join(' '));
  if (ids.length === 0) throw refusal(EXIT.invalid, `no runs in ${runs.folder}`, '-i names another inventory');
  const fitting = ids.filter((id) => id === name || (name !== undefined && id.startsWith(name)));
  const id =
    name === undefined
      ? ids.at(-1)
      : (fitting.find((f) => f === name) ?? (fitting.length === 1 ? fitting[0] : undefined));
  if (id !== undefined) return openRunFolder(runs, id);
  if (fitting.length > 1) throw refusal(EXIT.invalid, `several runs match ${name ?? ''}:`, ...fitting);
  throw refusal(
    EXIT.invalid,
    `unknown run ${name ?? ''} in ${runs.folder}${didYouMean(name ?? '', ids, (id) => id)}`,
    `runbook runs${whereOf(flags)}   lists them`,
  );
}
