import { foldAll } from '../journal/fold.js';
import { JournalDamaged } from '../journal/journal.js';
import { isUnfinished, listRuns, openRunFolder, readEvents, type RunFolder } from '../journal/run-folder.js';
import { EXIT, invalid } from './exit.js';
import { parseFlags } from './flags.js';
import { writeVersion } from './sinks.js';
import { runsFor, whereOf } from './unfinished.js';

interface Row {
  readonly run: string;
  readonly ended: string;
  readonly changed: number;
  readonly playbook: string;
  readonly unfinished: boolean;
}

/** `runbook runs`: the runs of this inventory, newest first. */
export function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags('runs', argv);
  if ('mistake' in flags) return Promise.resolve(invalid(flags.mistake));
  if (flags.positionals.length > 0)
    return Promise.resolve(invalid('runs lists them all; `runbook show RUN` tells of one'));
  const runs = runsFor(flags);
  const rows = listRuns(runs)
    .toReversed()
    .map((id) => rowOf(openRunFolder(runs, id)));
  if (flags.json) {
    writeVersion('runbook-runs');
    for (const row of rows) process.stdout.write(`${JSON.stringify(row)}\n`);
  } else if (rows.length === 0) process.stdout.write(`no runs in ${runs.folder}\n`);
  else printRows(rows, whereOf(flags));
  return Promise.resolve(EXIT.done);
}

function rowOf(folder: RunFolder): Row {
  const row = { run: folder.id, changed: 0, playbook: '', unfinished: false };
  try {
    const events = readEvents(folder).map((r) => r.event);
    const state = foldAll(events);
    const changed = [...state.tasks.values()].filter((t) => t.settled?.changed === true).length;
    const ended = state.run === undefined ? 'not begun' : (state.ended?.as ?? 'cut off');
    return {
      ...row,
      ended,
      changed,
      playbook: events.find((e) => e.e === 'run-started')?.playbook ?? '',
      unfinished: isUnfinished(state),
    };
  } catch (error) {
    // One damaged run does not hide the others; `show` says where it is damaged.
    if (error instanceof JournalDamaged) return { ...row, ended: 'damaged' };
    throw error;
  }
}

function printRows(rows: readonly Row[], where: string): void {
  const line = (run: string, ended: string, changed: string, playbook: string): string =>
    `${run.padEnd(22)}  ${ended.padEnd(11)}  ${changed.padStart(7)}  ${playbook}\n`;
  process.stdout.write(line('RUN', 'ENDED', 'CHANGED', 'PLAYBOOK'));
  for (const row of rows) {
    const open = row.unfinished ? `   (unfinished: runbook resume${where}, or release)` : '';
    process.stdout.write(line(row.run, row.ended, String(row.changed), `${row.playbook}${open}`));
  }
}
