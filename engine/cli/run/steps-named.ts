import type { Project } from '../../language/project.js';
import type { Play, Step } from '../../terms/playbook.js';
import type { Chosen } from '../options/chosen.js';
import { unknownStep } from '../options/did-you-mean.js';

/** A step and its play, and the whole name of the step. */
export interface StepPlace {
  readonly play: Play;
  readonly step: Step;
  readonly whole: string;
}

/** The steps that a name on the command line means: a title, or `PLAY / STEP`; or one sentence where there is none. */
export function stepsNamed({ playbook }: Project, name: string): Chosen<readonly [StepPlace, ...StepPlace[]]> {
  const places = playbook.plays.flatMap((play) =>
    play.steps.map((step) => ({ play, step, whole: [...play.within, play.name, step.name].join(' / ') })),
  );
  const [first, ...more] = places.filter(
    ({ step, whole }) => step.name === name || whole === name || whole.endsWith(` / ${name}`),
  );
  if (first !== undefined) return [first, ...more];
  const steps = new Set(places.map(({ step }) => step.name));
  return { mistake: unknownStep(name, steps) };
}
