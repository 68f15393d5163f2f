import { count } from '../../lib/count.js';
import { EXIT } from '../options/exit.js';
import { flagsOf } from '../options/platform-flags.js';
import { loadProject } from '../options/project.js';

const NO_INVENTORY = `No inventory was found: hosts, variables and endpoints were not checked.
  write ./inventory.yaml (runbook init), or name one: -i FILE
`;

/** `runbook validate PLAYBOOK`: every mistake of every file; nothing is contacted. */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = await flagsOf('validate', argv);
  const project = await loadProject(flags, 'validate');
  const { playbook, inventory } = project;
  const steps = playbook.plays.reduce((sum, play) => sum + play.steps.length, 0);
  const isAlone = inventory.files.length === 0;
  const parts = [
    count(playbook.plays.length, 'play'),
    count(steps, 'step'),
    ...(isAlone ? [] : [count(inventory.hosts.length, 'host')]),
  ];
  process.stdout.write(`${playbook.name}: ${parts.join(', ')}: no mistakes. Nothing was contacted.\n`);
  // An author checks a playbook alone; an operator in the wrong folder must not take that for a check of the hosts.
  if (isAlone) process.stdout.write(NO_INVENTORY);
  return EXIT.done;
}
