import type { Play } from '../../terms/playbook.js';
import { didYouMean } from '../options/did-you-mean.js';
import { explainView, phaseView } from '../../report/checks/explain-view.js';
import { DIAGNOSIS } from '../run/causes.js';
import { EXIT, invalid } from '../options/exit.js';
import { flagsOf } from '../options/platform-flags.js';
import { loadProject } from '../options/project.js';

/**
 * `runbook explain PLAYBOOK [PLAY | PHASE]`: the steps in order as a change ticket shows them; nothing is contacted. `runbook explain HEADING`: the
 * checks below a heading that `diagnose` prints.
 */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = await flagsOf('explain', argv);
  const [playbook, wanted, ...more] = withDiagnosis(flags.positionals);
  if (more.length > 0) throw invalid(`explain takes a playbook and one play; put the title of the play in quotes`);
  const positionals = playbook === undefined ? [] : [playbook];
  const project = await loadProject({ ...flags, positionals }, 'validate');
  const { plays } = project.playbook;
  const { checks } = project.platform;
  const phase = plays.filter(({ within }) => within.length > 0 && within[0] === wanted);
  if (wanted !== undefined && phase.length > 0) return print(phaseView(wanted, phase, checks));
  const chosen = wanted === undefined ? plays : withSameHeading(plays.filter(isNamed(wanted)), plays, playbook);
  if (wanted !== undefined && chosen.length === 0) {
    const names = plays.flatMap(({ name, within }) => [...within.slice(0, 1), name]);
    throw invalid(`there is no play or phase "${wanted}"${didYouMean(wanted, names)}`);
  }
  return print(explainView(chosen, checks));
}

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return EXIT.done;
}

/** A heading alone is one of the diagnosis: no playbook is named like that. */
const withDiagnosis = (positionals: readonly string[]): readonly string[] =>
  positionals.length === 1 && / /.test(positionals[0] ?? '') && !/\.ya?ml$/.test(positionals[0] ?? '')
    ? [DIAGNOSIS, ...positionals]
    : positionals;

/** In a diagnosis the plays of one section have one heading. */
const withSameHeading = (
  chosen: readonly Play[],
  plays: readonly Play[],
  playbook: string | undefined,
): readonly Play[] =>
  playbook === DIAGNOSIS
    ? plays.filter((play) =>
        chosen.some(({ path, spec }) => play.path === path || (spec !== undefined && play.spec === spec)),
      )
    : chosen;

/** By its title, or as a heading shows it: with the playbooks around it and its section. */
function isNamed(wanted: string): (play: Play) => boolean {
  const heading = wanted
    .replace(/ +§\S*$/, '')
    .replace(/^ *[✓✗?!] /, '')
    .replace(/: (?:nothing found(?: in what was checked)?|not checked)$/, '')
    .trim();
  return ({ within, name }) => name === heading || ` / ${[...within, name].join(' / ')}`.endsWith(` / ${heading}`);
}
