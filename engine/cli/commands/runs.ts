import { isEarlier } from '../../journal/earlier.js';
import { foldAll } from '../../journal/fold.js';
import {
  copyDamage,
  inspectEvents,
  listRuns,
  openRunFolder,
  otherKind,
  type RunFolder,
  type Runs,
} from '../../journal/run-folder.js';
import { isUnfinished, type RunState } from '../../journal/state.js';
import { countsOf } from '../../report/counts.js';
import { partsOf, ticketsOf, type Part } from '../../report/audit-lines.js';
import { modelMark } from '../../report/model-mark.js';
import { outcomeOf } from '../../report/run-outcome.js';
import { printableLine } from '../../report/style.js';
import { tally } from '../../report/tally.js';
import { EXIT, invalid } from '../options/exit.js';
import { parseFlags, type Flags } from '../options/flags.js';
import { linksOf, linkTexts, type Links } from '../terminal/links.js';
import { inUse } from '../run/lock.js';
import { writeJson, writeVersion } from '../terminal/sinks.js';
import { runsFor } from '../run/unfinished.js';
import { shownEvents } from '../run/waiver-approvals.js';
import { nextForUnfinished } from '../run/rollback-options.js';

interface Row extends Links {
  readonly run: string;
  readonly ended: string;
  readonly changed: number;
  readonly playbook: string;
  readonly unfinished: boolean;
  /** How many hosts it has, and how many of them are of the model. */
  readonly hosts?: number;
  readonly model?: number;
  /** Who began each part of it, when, from where and why. */
  readonly parts: readonly Part[];
}

/** `runbook runs`: the runs of this inventory, newest first; with `--export` or `--import` one of them to a file, or from it. */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags('runs', argv);
  const mistake = mistakeIn(flags);
  if (mistake !== undefined) throw invalid(mistake);
  if (flags.exportRun !== undefined)
    return (await import('../run/export-run.js')).exportRun(flags.exportRun, flags.output ?? '', flags);
  if (flags.importFile !== undefined) return (await import('../run/import-run.js')).importRun(flags.importFile, flags);
  return list(flags);
}

function mistakeIn({ positionals, exportRun, importFile, output, json }: Flags): string | undefined {
  if (positionals.length > 0) return 'runs takes no argument; one run: runbook show RUN';
  const given = [exportRun, importFile].filter((value) => value !== undefined).length + (json ? 1 : 0);
  if (given > 1) return '--export, --import and --json exclude each other; use one of them';
  if ((exportRun === undefined) !== (output === undefined))
    return 'an export needs a run and a file: runbook runs --export RUN -o FILE';
  return undefined;
}

async function list(flags: Flags): Promise<number> {
  const runs = runsFor(flags);
  const user = inUse(runs);
  const own = listRuns(runs);
  // Those of the model and of real hosts are listed, and marked; commands continue those of the kind named here only.
  const kinds = new Map([otherKind(runs), runs].flatMap((kind) => listRuns(kind).map((id) => [id, kind] as const)));
  const rows = await Promise.all(
    [...kinds]
      .toSorted(([a], [b]) => (a < b ? 1 : -1))
      .map(([id, kind]) => rowOf(kind, openRunFolder(kind, id), user !== undefined && id === own.at(-1))),
  );
  if (flags.json) {
    writeVersion('runbook-runs');
    for (const row of rows) writeJson(row);
  } else if (rows.length === 0) process.stdout.write(`no runs in ${runs.folder}\n`);
  else printRows(rows);
  if (user !== undefined && !flags.json) process.stdout.write(`\n${user.by}\n`);
  const next = user === undefined && !flags.json ? await nextForUnfinished(flags) : undefined;
  if (next !== undefined) process.stdout.write(`\n${next}\n`);
  return EXIT.done;
}

/** One damaged run does not hide the others; `show` says where it is damaged. `inUse`: a program works on the newest of the runs now. */
async function rowOf(runs: Runs, folder: RunFolder, inUse: boolean): Promise<Row> {
  const { events: past, damage = copyDamage(folder) } = inspectEvents(folder);
  const events = past.map((r) => r.event);
  const state = foldAll(events);
  const started = events.find((e) => e.e === 'run-started');
  const ended = endOf(state, inUse);
  return {
    run: folder.id,
    ended: damage === undefined ? ended : isEarlier(folder.journalFile) ? 'earlier' : 'damaged',
    changed: countsOf(tally(past)).changed,
    playbook: started?.playbook ?? '',
    ...(started?.model === undefined ? {} : { hosts: started.hosts, model: started.model }),
    unfinished: damage === undefined && isUnfinished(state),
    parts: partsOf(await shownEvents(folder, past)),
    ...linksOf(runs, folder.id),
  };
}

function endOf({ run: id, ended }: RunState, inUse: boolean): string {
  if (id === undefined) return 'not started';
  if (ended !== undefined) return outcomeOf(ended);
  return inUse ? 'running' : 'interrupted';
}

function printRows(rows: readonly Row[]): void {
  const line = (run: string, ended: string, changed: string, playbook: string): string =>
    `${run.padEnd(22)}  ${ended.padEnd(11)}  ${changed.padStart(7)}  ${playbook}\n`;
  process.stdout.write(line('RUN', 'ENDED', 'CHANGED', 'PLAYBOOK'));
  for (const row of rows) {
    const open = row.unfinished && row.ended !== 'running' ? '   (unfinished)' : '';
    const notes = [
      ...modelMark(row),
      ...ticketsOf(row.parts).map((ticket) => `ticket ${ticket}`),
      ...linkTexts(row, row.unfinished),
    ];
    const more = notes.length === 0 ? '' : `   ${printableLine(notes.join(' · '))}`;
    process.stdout.write(line(row.run, row.ended, String(row.changed), `${row.playbook}${open}${more}`));
  }
}
