import { diagnosisOf, diagnosisView } from '../../report/checks/diagnosis-view.js';
import { withKeptStopped } from '../../report/end/kept-stopped.js';
import { runAll } from '../../run/start.js';
import type { Recorded } from '../../terms/event.js';
import { DIAGNOSIS } from '../run/causes.js';
import { choose, copyOf, hashOf } from '../run/choice.js';
import { EXIT, exitOf, invalid } from '../options/exit.js';
import { parseFlags } from '../options/flags.js';
import { terminalOf } from '../terminal/terminal.js';
import { keptStopped } from '../run/kept-stopped.js';
import { loadProject } from '../options/project.js';
import { openSession } from '../run/session.js';
import { writeSummary } from '../terminal/sinks.js';
import { warnOfUnfinished } from '../run/unfinished.js';

/**
 * `runbook diagnose`: the known failures, each with what was found and its remedy. It is handed no means to change anything, and
 * needs no run: an unfinished one is not in its way. 0 nothing found, 1 something found, 4 nothing found but not all could be looked at.
 */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags('diagnose', argv);
  if (flags.positionals.length > 0) throw invalid('diagnose takes no playbook');
  const project = await loadProject({ ...flags, positionals: [DIAGNOSIS] });
  const choice = choose(project, flags);
  const session = await openSession({ ...choice, flags, verb: 'diagnose' });
  try {
    const hash = hashOf(copyOf(choice.project, flags, choice.limit));
    const inventory = project.inventory.files[0]?.file ?? '';
    const end = await runAll(session.run, { run: `diagnose-${hash.slice(0, 8)}`, verb: 'diagnose', hash, inventory });
    const exit = end === 'interrupted' ? exitOf(end) : exitFor(session.events);
    if (flags.json) {
      await session.close();
      writeSummary(session.events, { verb: 'diagnose', exit });
      return exit;
    }
    const unfinished = warnOfUnfinished(flags);
    const stopped = unfinished && (await keptStopped(session.run, unfinished, flags));
    await session.close();
    process.stdout.write(`${diagnosisView(withKeptStopped(session.events, stopped), terminalOf(process.stdout))}\n`);
    return exit;
  } finally {
    await session.close();
  }
}

/** A check that could not be made is not one that found nothing. */
function exitFor(events: readonly Recorded[]): number {
  const { found, notRun, conditions } = diagnosisOf(events);
  if (found > 0) return EXIT.failed;
  return notRun > 0 || conditions.length === 0 ? EXIT.unreachable : EXIT.done;
}
