import { foldAll } from '../journal/fold.js';
import { isUnfinished, listRuns, openRunFolder, readEvents } from '../journal/run-folder.js';
import { EXIT, invalid } from './exit.js';
import { parseFlags } from './flags.js';
import { runsFor } from './unfinished.js';

/** `runbook runs`: the runs of this inventory, newest first. */
export function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(argv);
  if ('mistake' in flags) return Promise.resolve(invalid(flags.mistake));
  const runs = runsFor(flags);
  const rows = listRuns(runs)
    .toReversed()
    .map((id) => {
      const events = readEvents(openRunFolder(runs, id)).map((r) => r.event);
      const state = foldAll(events);
      const started = events.find((e) => e.e === 'run-started');
      const end = state.ended?.as ?? 'cut off';
      return { run: id, playbook: started?.playbook ?? '', end, unfinished: isUnfinished(state) };
    });
  if (flags.json) process.stdout.write(`${JSON.stringify(rows)}\n`);
  else if (rows.length === 0) process.stdout.write(`no runs in ${runs}\n`);
  else for (const row of rows) process.stdout.write(`${row.run}  ${row.end.padEnd(11)}  ${row.playbook}${row.unfinished ? '   (runbook resume, or release)' : ''}\n`);
  return Promise.resolve(EXIT.done);
}
