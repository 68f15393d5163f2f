import type { Was } from '../../terms/event.js';
import { hostName } from '../../terms/subject.js';
import { taskKey } from '../../terms/task.js';
import type { Run } from '../run.js';
import type { TaskAt } from './decide.js';

/**
 * Whether the operator says what became of an act whose outcome is not known; it is recorded, and the task can be decided again. Asked at a
 * terminal in an acting run; what the command line says counts in a plan, too.
 */
export async function isTold(run: Run, at: TaskAt, act: string): Promise<boolean> {
  const { task } = at;
  const key = taskKey(task);
  const where = hostName(task.on);
  const question = `Not known whether "${at.step.name}" on ${where} was done: ${act}`;
  const was = run.told.get(key) ?? (run.actor === undefined ? undefined : await ask(run, where, question));
  if (was === undefined) return false;
  run.told.delete(key);
  run.journal.emit({ e: 'answered', task, question, answer: was, was });
  return true;
}

/** Asked until the answer is one of both. No answer: there is no terminal, or the run is to stop. */
async function ask(run: Run, where: string, question: string): Promise<Was | undefined> {
  for (;;) {
    const answer = await run.askOperator?.(`${question}\nSee on ${where} whether it happened: done, or not done?`);
    if (answer === undefined) return undefined;
    const was = answer.trim().toLowerCase();
    if (was === 'done' || was === 'not done') return was;
  }
}
