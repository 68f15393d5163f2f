import { EXIT, invalid } from '../options/exit.js';
import { parseFlags } from '../options/flags.js';
import { runsFor } from '../run/unfinished.js';
import { noStore, teamSettings } from '../team/settings.js';

/** `runbook store create`: makes the store that the configuration names. No other command does: a wrong name would be a second store. */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags('store', argv);
  const [what, ...more] = flags.positionals;
  if (what !== 'create' || more.length > 0) throw invalid('store takes one argument: runbook store create');
  const { inventory } = runsFor(flags);
  const settings = await teamSettings(inventory, process.env);
  if (settings === undefined) throw noStore(inventory, 'no store is configured');
  if ('mistake' in settings) throw invalid(settings.mistake);
  const { openTeam } = await import('../team/team.js');
  const team = await openTeam(settings, { replicas: settings.servers.length >= 3 ? 3 : 1 });
  await team.close();
  process.stdout.write(`${team.name} is there\n`);
  return EXIT.done;
}
