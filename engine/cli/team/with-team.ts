import type { Runs } from '../../journal/run-folder.js';
import { EXIT, refusal } from '../options/exit.js';
import { teamSettings } from './settings.js';
import type { Team } from './team.js';

/** Does something with the store that the configuration names; `undefined`: it names none, and nothing of it is loaded. */
export async function withTeam<T>(runs: Runs, act: (team: Team | undefined) => Promise<T>): Promise<T> {
  const settings = await teamSettings(runs.inventory, process.env);
  if (settings === undefined) return act(undefined);
  if ('mistake' in settings) throw refusal(EXIT.invalid, settings.mistake);
  const { openTeam } = await import('./team.js');
  const team = await openTeam(settings);
  try {
    return await act(team);
  } finally {
    await team.close();
  }
}
