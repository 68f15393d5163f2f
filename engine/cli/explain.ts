import type { Play } from '../terms/playbook.js';
import { nearest } from '../lib/nearest.js';
import { explainView } from '../report/explain-view.js';
import { EXIT, invalid } from './exit.js';
import { flagsOf } from './platform-flags.js';
import { loadProject } from './project.js';

/** `runbook explain PLAYBOOK [PLAY]`: the steps in order as a change ticket shows them; nothing is contacted. */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = await flagsOf('explain', argv);
  if ('mistake' in flags) return invalid(flags.mistake);
  const [playbook, wanted, ...more] = flags.positionals;
  if (more.length > 0) return invalid(`explain takes a playbook and one play; put the title of the play in quotes`);
  const positionals = playbook === undefined ? [] : [playbook];
  const project = await loadProject({ ...flags, positionals }, true);
  if (typeof project === 'number') return project;
  const { plays } = project.playbook;
  const chosen = wanted === undefined ? plays : plays.filter(isNamed(wanted));
  if (wanted !== undefined && chosen.length === 0) {
    const close = nearest(
      wanted,
      plays.map(({ name }) => name),
    );
    return invalid(`there is no play "${wanted}"${close === undefined ? '' : `; did you mean "${close}"?`}`);
  }
  process.stdout.write(`${explainView(chosen, project.platform.checks)}\n`);
  return EXIT.done;
}

/** By its title, or as a heading shows it: with the playbooks around it and its section. */
function isNamed(wanted: string): (play: Play) => boolean {
  const heading = wanted.replace(/ +§\S*$/, '').trim();
  return ({ within, name }) => name === heading || ` / ${[...within, name].join(' / ')}`.endsWith(` / ${heading}`);
}
