import { endView } from '../report/end-view.js';
import { hostName } from '../report/tally.js';
import { releaseRun } from '../run/start.js';
import { EXIT, exitOf, invalid } from './exit.js';
import { parseFlags } from './flags.js';
import { paperOf } from './paper.js';
import { ask, isAttended } from './person.js';
import { openSession } from './session.js';
import { openUnfinished } from './unfinished.js';

/** `runbook release`: gives the temporary changes back and closes the run, after saying what is no longer possible then. */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(argv);
  if ('mistake' in flags) return invalid(flags.mistake);
  const unfinished = await openUnfinished(flags);
  if (typeof unfinished === 'number') return unfinished;
  const session = await openSession({ ...unfinished, verb: 'release' });
  try {
    const owed = [...session.journal.state.debts.values()].map((d) => `  ${d.name} (${hostName(d.task.on)})\n`).join('');
    process.stderr.write(`Will be given back:\n${owed === '' ? '  nothing is owed\n' : owed}Afterwards this run is closed: it can no longer be resumed, and what it half did stays as it is.\n`);
    if (!flags.yes && !isAttended()) return invalid('there is no terminal to ask whether to release; say -y');
    if (!flags.yes && !/^y(es)?$/i.test((await ask('Release? [yes/no]')) ?? '')) return EXIT.refused;
    const end = await releaseRun(session.run);
    process.stdout.write(`${endView(session.events, { ...paperOf(process.stdout), folder: unfinished.folder.path })}\n`);
    return exitOf(end);
  } finally {
    await session.close();
  }
}
