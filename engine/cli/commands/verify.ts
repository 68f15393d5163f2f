import { baselineOf, baselineRows } from '../../report/checks/baseline.js';
import { verifyView } from '../../report/checks/verify-view.js';
import { runAll } from '../../run/start.js';
import { BASELINE, newestBaseline } from '../run/baseline.js';
import { defined } from '../../lib/defined.js';
import { choose, copyOf, hashOf } from '../run/choice.js';
import { EXIT, exitOf, invalid } from '../options/exit.js';
import { parseFlags } from '../options/flags.js';
import { terminalOf } from '../terminal/terminal.js';
import { loadProject, runsOfProject } from '../options/project.js';
import { openSession } from '../run/session.js';
import { writeJson, writeVersion } from '../terminal/sinks.js';
import { warnOfUnfinished } from '../run/unfinished.js';

/**
 * `runbook verify`: what the platform does for its users now, beside the newest run's baseline. It has no means to change anything. 0 nothing
 * is worse than the tolerance, 1 something is, 4 something could not be read.
 */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags('verify', argv);
  if (flags.positionals.length > 0) throw invalid('verify takes no playbook');
  const project = await loadProject({ ...flags, positionals: [BASELINE] });
  const choice = choose(project, flags);
  const session = await openSession({ ...choice, flags: { ...flags, json: false }, verb: 'diagnose' });
  try {
    const hash = hashOf(copyOf(choice.project, flags, choice.limit));
    const inventory = project.inventory.files[0]?.file ?? '';
    const end = await runAll(session.run, { run: `verify-${hash.slice(0, 8)}`, verb: 'diagnose', hash, inventory });
    const now = baselineOf(session.events, session.run.clock.nowMs());
    await session.close();
    if (end === 'interrupted') return exitOf(end);
    const recorded = newestBaseline(runsOfProject(project));
    const all =
      recorded === undefined
        ? ([now] as const)
        : ([recorded.before, ...(recorded.after === undefined ? [] : [recorded.after]), now] as const);
    const rows = baselineRows(all);
    const { hosts, model } = session.events.flatMap(({ event }) => (event.e === 'run-started' ? [event] : []))[0] ?? {};
    const of = recorded === undefined ? {} : { run: recorded.run, hasAfter: recorded.after !== undefined };
    const verified = { ...of, rows, ...defined({ hosts, model }) };
    warnOfUnfinished(flags);
    if (flags.json) {
      writeVersion('runbook-verify');
      writeJson({ ...verified, atMs: now.atMs });
    } else process.stdout.write(`${verifyView(verified, terminalOf(process.stdout))}\n`);
    if (rows.some(({ because }) => because !== undefined)) return EXIT.unreachable;
    return rows.some(({ isWorse }) => isWorse) ? EXIT.failed : EXIT.done;
  } finally {
    await session.close();
  }
}
