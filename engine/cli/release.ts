import type { Debt } from '../journal/state.js';
import { endView } from '../report/end-view.js';
import { hostName } from '../report/tally.js';
import { releaseRun } from '../run/start.js';
import { EXIT, exitOf, invalid } from './exit.js';
import { parseFlags, type Flags } from './flags.js';
import { paperOf } from './paper.js';
import { ask, isAttended, isYes } from './person.js';
import { openSession } from './session.js';
import { openUnfinished, whereOf } from './unfinished.js';

/** `runbook release`: gives the temporary changes back and closes the run, after saying what is no longer possible then. */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags('release', argv);
  if ('mistake' in flags) return invalid(flags.mistake);
  const unfinished = await openUnfinished('release', flags);
  if (typeof unfinished === 'number') return unfinished;
  const refused = await mayRelease([...unfinished.state.debts.values()], flags);
  if (refused !== undefined) return refused;
  const session = await openSession({ ...unfinished, verb: 'release' });
  if (typeof session === 'number') return session;
  try {
    const end = await releaseRun(session.run);
    await session.close();
    const view = endView(session.events, {
      ...paperOf(process.stdout),
      folder: unfinished.folder.path,
      where: whereOf(flags),
    });
    if (!flags.json) process.stdout.write(`${view}\n`);
    return exitOf(end);
  } finally {
    await session.close();
  }
}

async function mayRelease(debts: readonly Debt[], flags: Flags): Promise<number | undefined> {
  const owed = debts.map((d) => `  ${d.name} (${hostName(d.task.on)})\n`).join('');
  process.stderr.write(
    `Will be given back:\n${owed === '' ? '  nothing is still in place\n' : owed}Afterwards this run is closed: it can no longer be resumed, and what it half did stays as it is.\n`,
  );
  if (flags.yes) return undefined;
  if (!isAttended()) return invalid('there is no terminal to ask whether to release; say -y');
  if (isYes(await ask('Release? [yes/no]'))) return undefined;
  process.stderr.write('Nothing was changed; the run stays open.\n');
  return EXIT.refused;
}
