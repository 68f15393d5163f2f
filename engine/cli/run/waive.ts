import type { Project } from '../../language/project.js';
import type { Play } from '../../terms/playbook.js';
import { didYouMean } from '../options/did-you-mean.js';
import type { Flags } from '../options/flags.js';

/** Why `--waive` cannot be taken, as one sentence: it has no reason, nothing requires such a check, or it cannot be waived. */
export function wrongWaiver(project: Project, { waive, reason }: Pick<Flags, 'waive' | 'reason'>): string | undefined {
  if (waive.length === 0) return undefined;
  if (reason === undefined) return '--waive needs --reason: it is recorded who waived what, and why';
  const { playbook, platform } = project;
  const required = requiredIn(playbook.plays);
  const unknown = waive.find((name) => !required.has(name));
  if (unknown !== undefined)
    return `--waive: nothing in "${playbook.name}" requires "${unknown}"${didYouMean(unknown, required)}`;
  const fixed = waive.find((name) => platform.checks[name]?.waivable === false);
  return fixed === undefined
    ? undefined
    : `--waive: "${fixed}" cannot be waived: ${platform.checks[fixed]?.description}`;
}

/** The project in which these requirements, where they are broken, only warn. */
export function waiving(project: Project, names: readonly string[]): Project {
  if (names.length === 0) return project;
  const plays = project.playbook.plays.map((play) => ({
    ...play,
    steps: play.steps.map((step) =>
      step.required === true && names.includes(step.check ?? '') ? { ...step, failureWarns: true as const } : step,
    ),
  }));
  return { ...project, playbook: { ...project.playbook, plays } };
}

const requiredIn = (plays: readonly Play[]): ReadonlySet<string> =>
  new Set(
    plays.flatMap(({ steps }) => steps.flatMap(({ required, check }) => (required === true ? (check ?? []) : []))),
  );
