import { count } from '../report/style.js';
import { invalid } from './exit.js';
import { parseFlags } from './flags.js';
import { loadProject } from './project.js';

/** `runbook validate PLAYBOOK`: every mistake of every file; nothing is contacted. */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(argv);
  if ('mistake' in flags) return invalid(flags.mistake);
  const project = await loadProject(flags, true);
  if (typeof project === 'number') return project;
  const steps = project.playbook.plays.reduce((sum, play) => sum + play.steps.length, 0);
  process.stdout.write(`${project.playbook.name}: ${count(project.playbook.plays.length, 'play')}, ${count(steps, 'step')}, ${count(project.inventory.hosts.length, 'host')}: no mistakes. Nothing was contacted.\n`);
  return 0;
}
