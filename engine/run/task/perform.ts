import type { Action, Outcome } from '../../terms/action.js';
import type { Change, ItemNote } from '../../terms/change.js';
import type { Json } from '../../terms/json.js';
import type { Actor } from '../../terms/machine.js';
import type { AnyModule, Judgement } from '../../terms/module.js';
import type { TaskId } from '../../terms/task.js';
import { awaitJob, effectId, goesOn, outcomeOf } from './await-job.js';
import { meets, TOO_LONG, type Performed, type Stopped } from './expect.js';
import { noteItems } from './note-items.js';
import type { Run } from '../run.js';
import { stopAsked } from '../stop.js';

export interface Carry {
  readonly task: TaskId;
  readonly module: AnyModule;
  readonly args: Json;
  readonly change: Change;
  readonly attempt: number;
}

/** Performs the actions of a change in order, each recorded with what was made of it. Stops at the first that is not met. */
export async function perform(run: Run, actor: Actor, carry: Carry): Promise<Performed | Stopped> {
  for (const [index, action] of carry.change.actions.entries()) {
    const outcome = await performOne(run, actor, carry, action, index);
    if (outcome.is === 'stopped') return outcome;
    const performed = judge(run, carry, action, outcome);
    const reason =
      performed.is === 'done' ? {} : { reason: performed.is === 'failed' ? performed.reason : performed.why };
    run.journal.emit({
      e: 'effect',
      task: carry.task,
      attempt: carry.attempt,
      index,
      outcome,
      met: performed.is === 'done',
      ...reason,
    });
    if (action.do === 'job' && outcome.is === 'ended')
      await actor.forgetJob(carry.task.on, effectId(run, carry.task, carry.attempt, index));
    if (performed.is !== 'done') return performed;
  }
  return { is: 'done' };
}

async function performOne(
  run: Run,
  actor: Actor,
  carry: Carry,
  action: Action,
  index: number,
): Promise<Outcome | Stopped> {
  if (action.do === 'ask') return askOperator(run, carry.task, action.question);
  const id = effectId(run, carry.task, carry.attempt, index);
  const outcome = await actor.perform(carry.task.on, action, {
    id,
    inHand: [...run.inHand],
    ...(run.signal === undefined ? {} : { signal: run.signal }),
  });
  // What goes on without the connection ends before anything else is decided about it.
  if (outcome.is === 'unknown' && outcome.why === 'connection' && goesOn(action))
    return outcomeOf(await awaitJob(run, actor, { task: carry.task, id, action })) ?? outcome;
  return outcome;
}

/** A stop waits for no answer: nothing was begun, and a resume asks again. */
async function askOperator(run: Run, task: TaskId, question: string): Promise<Outcome | Stopped> {
  const answer = await run.askOperator?.(question);
  if (answer !== undefined) {
    run.journal.emit({ e: 'answered', task, question, answer });
    return { is: 'said', answer };
  }
  const stop = stopAsked(run);
  if (stop !== undefined) return { is: 'stopped', stop };
  return {
    is: 'refused',
    by: 'machine',
    ...(run.askOperator === undefined
      ? {
          found: `"${question}" needs an answer of the operator, and there is no terminal`,
          hint: 'run it at a terminal; -y answers only whether to begin',
        }
      : { found: `"${question}" was not answered`, hint: '`runbook resume` asks again' }),
  };
}

/** The module's judgement goes before what was expected of the outcome. */
function judge(run: Run, carry: Carry, action: Action, outcome: Outcome): Performed {
  const met = meets(action, outcome);
  if (met.is === 'unknown') return met;
  if (met.is === 'done' && isCut(outcome) && carry.module.judge !== undefined) return TOO_LONG;
  const judgement = carry.module.judge?.(carry.args, outcome, action);
  if (judgement?.is === 'items') return judgeItems(run, carry, action, judgement);
  return judgement?.is === 'failed' ? judgement : met;
}

const isCut = (outcome: Outcome): boolean => 'cut' in outcome;

function judgeItems(run: Run, carry: Carry, action: Action, { items }: Extract<Judgement, { is: 'items' }>): Performed {
  const about = 'about' in action ? action.about : undefined;
  const known = (item: string, note: ItemNote): ItemNote => {
    const value = note.value ?? about?.[item];
    return note.is === 'pending' || value === undefined ? note : { ...note, value };
  };
  noteItems(
    run,
    carry.task,
    Object.fromEntries(Object.entries(items).map(([item, note]) => [item, known(item, note)])),
  );
  return { is: 'done' };
}
