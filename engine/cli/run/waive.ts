import type { Project } from '../../language/project.js';
import type { Play } from '../../terms/playbook.js';
import { didYouMean } from '../options/did-you-mean.js';
import type { Flags } from '../options/flags.js';

/** The rule of platform.yaml that a resume without a host breaks: no check, for what that host has cannot be read any more. */
export const SAME_VERSION = 'same_version';

/** Why `--waive` cannot be taken, as one sentence: it has no reason, nothing requires such a check, or it cannot be waived. */
export function wrongWaiver(
  project: Project,
  { waive, reason, without }: Pick<Flags, 'waive' | 'reason' | 'without'>,
): string | undefined {
  if (waive.length === 0) return undefined;
  if (reason === undefined) return '--waive needs --reason: it is recorded who waived what, and why';
  const { playbook, platform } = project;
  const ofHosts = without !== undefined && platform.sameVersion !== undefined ? [SAME_VERSION] : [];
  const required = new Set([...requiredIn(playbook.plays), ...ofHosts]);
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
