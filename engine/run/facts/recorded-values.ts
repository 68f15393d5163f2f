import type { TaskState } from '../../journal/state.js';
import type { Step } from '../../terms/playbook.js';
import { taskKey } from '../../terms/task.js';
import { dig, known, unknown, type Found } from './found.js';
import type { Run } from '../run.js';
import type { Position } from '../position.js';

/** Recorded once at the start of the run: asked again after the packages changed, it would skip what old versions need. */
export function fromValue(run: Run, component: string, here: Position): Found | undefined {
  if (here.host === undefined || !run.project.platform.components.includes(component)) return 'missing';
  const versions = run.journal.state.from.get(here.host);
  // A host that --limit leaves out is not touched: what is installed is what it came from.
  return versions === undefined ? undefined : known(versions[component] ?? null);
}

/** The value of the step that registered this name: on the host at hand, else on whichever host it ran. */
export function registered(run: Run, [name = '', ...rest]: readonly string[], here: Position): Found {
  const steps = run.registers.get(name);
  if (steps === undefined) return 'missing';
  for (const step of steps.toReversed()) {
    const own =
      here.host === undefined
        ? undefined
        : run.journal.state.tasks.get(taskKey({ step: step.path, on: { host: here.host } }));
    const task = own ?? run.journal.state.byStep.get(step.path)?.at(-1);
    if (rest[0] === 'changed' && task !== undefined) return changedBy(step, task);
    if (task?.settled?.value !== undefined) return dig(known(task.settled.value), rest);
    if (task?.planned !== undefined) return unknown(`what "${step.name}" finds`, [step.path]);
  }
  return unknown(
    `"${name}" is registered by "${steps[0]?.name ?? ''}", which did not run`,
    steps.map((s) => s.path),
  );
}

/** `registered.NAME.changed`: did the step change something, or in a plan, would it? */
function changedBy(step: Step, task: TaskState): Found {
  if (task.settled !== undefined) return known(task.settled.changed);
  return task.planned === 'undecided'
    ? unknown(`whether "${step.name}" changes anything`, [step.path])
    : known(task.planned === 'change');
}
