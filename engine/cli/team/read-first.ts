import { keepTeamHolder } from '../../journal/lock.js';
import { otherKind } from '../../journal/run-folder.js';
import { StoreUnavailable } from '../../store/run-store.js';
import type { CommandName } from '../options/commands.js';
import { flagsOf } from '../options/platform-flags.js';
import { runsFor } from '../run/unfinished.js';
import { storeText } from './say-store.js';
import { sayLate } from '../terminal/say-late.js';
import { withTeam } from './with-team.js';

/** Brings the runs of the inventory to what the team's store has. Where it does not answer, a command shows what this machine has. */
export async function readFirst(command: CommandName, argv: readonly string[]): Promise<void> {
  const runs = runsFor(await flagsOf(command, argv));
  try {
    const read = withTeam(runs, async (team) => {
      if (team === undefined) {
        // Of who worked elsewhere only a store can tell.
        for (const one of [runs, otherKind(runs)]) keepTeamHolder(one, undefined);
        return;
      }
      const [{ readTeam }, { saySetAside }, { copyApprovals }] = await Promise.all([
        import('./team.js'),
        import('./shared.js'),
        import('./exchange.js'),
      ]);
      saySetAside(await readTeam(team, runs));
      await copyApprovals(team.store, runs);
    });
    await sayLate("Reading the runs of the team's store", read);
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    process.stderr.write(`runbook: ${storeText(error)}\n  what this machine has of the runs is used\n`);
  }
}
