import { readTimings, type TimingName, type Timings } from '../../journal/timings.js';
import { listRuns, openRunFolder, type Runs } from '../../journal/run-folder.js';
import type { Project } from '../../language/project.js';
import { objectOf, textOf } from '../../language/values.js';
import type { StepTime, StepTimes } from '../../terms/step-time.js';
import type { StepPath } from '../../terms/task.js';
import { runsOfProject } from '../options/project.js';

/** Of so many runs, the newest that measured anything. */
const RUNS = 3;
const DEFAULT_MS = 5000;
/** Modules that neither change anything nor wait; nor does what is required. */
const NO_TIME: ReadonlySet<string> = new Set(['check', 'record', 'confirm', 'warn']);

/** How long each step of a project takes: measured by earlier runs of its inventory, else as its platform says. */
export function stepTimes(project: Project): StepTimes {
  const { playbook, platform } = project;
  const measured = measuredTimes(runsOfProject(project));
  return new Map(
    playbook.plays.flatMap(({ name: play, steps }) =>
      steps.map(({ path, name, module, args, required }): readonly [StepPath, StepTime] => {
        const { durations = {} } = platform;
        const byState = durations[`${module} ${textOf(objectOf(args)['state']) ?? ''}`];
        const ms = required === true || NO_TIME.has(module) ? 0 : (byState ?? durations[module] ?? DEFAULT_MS);
        const found = measured.get(timingName(play, name));
        const [minMs, maxMs] = found ?? [ms, ms];
        return [path, { minMs, maxMs, measured: found !== undefined, waits: module === 'wait_for' }];
      }),
    ),
  );
}

/** The shortest and the longest of the newest runs. */
function measuredTimes(runs: Runs): Timings {
  const all = new Map<string, readonly [number, number]>();
  let read = 0;
  for (const id of listRuns(runs).toReversed()) {
    const timings = readTimings(openRunFolder(runs, id));
    for (const [name, [minMs, maxMs]] of timings) {
      const [min, max] = all.get(name) ?? [minMs, maxMs];
      all.set(name, [Math.min(min, minMs), Math.max(max, maxMs)]);
    }
    if (timings.size > 0) read += 1;
    if (read === RUNS) break;
  }
  return all;
}

const timingName = (play: string, step: string): string => `${play} / ${step}`;

/** The names of a project's steps: of those that changed something, and of those that waited. */
export function timingNames({ playbook }: Project): TimingName {
  const steps = new Map(
    playbook.plays.flatMap(({ name: play, steps: all }) =>
      all.map(({ path, name, module }) => [path, { name: timingName(play, name), waits: module === 'wait_for' }]),
    ),
  );
  return (path, as) => {
    const step = steps.get(path);
    return step !== undefined && (as === 'done' || step.waits) ? step.name : undefined;
  };
}
