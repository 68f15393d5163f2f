import type { Project } from '../../language/project.js';
import type { Play, Step } from '../../terms/playbook.js';
import { invalid } from '../options/exit.js';
import { unknownStep } from '../options/did-you-mean.js';

/** A step and its play, and the whole name of the step. */
export interface StepPlace {
  readonly play: Play;
  readonly step: Step;
  readonly whole: string;
}

/** The steps that a name on the command line means: a title, or `PLAY / STEP`. A refusal where there is none. */
export function stepsNamed(project: Project, name: string): readonly [StepPlace, ...StepPlace[]] {
  const [first, ...more] = findSteps(project, name);
  if (first !== undefined) return [first, ...more];
  throw invalid(unknownStep(name, new Set(placesOf(project).map(({ step }) => step.name))));
}

export const findSteps = (project: Project, name: string): readonly StepPlace[] =>
  placesOf(project).filter(({ step, whole }) => step.name === name || whole === name || whole.endsWith(` / ${name}`));

const placesOf = ({ playbook }: Project): readonly StepPlace[] =>
  playbook.plays.flatMap((play) =>
    play.steps.map((step) => ({ play, step, whole: [...play.within, play.name, step.name].join(' / ') })),
  );
