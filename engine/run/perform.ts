import type { Action, Outcome } from '../terms/action.js';
import type { Change, ItemNote } from '../terms/change.js';
import type { Json } from '../terms/json.js';
import type { Actor, JobState } from '../terms/machine.js';
import type { AnyModule, Judgement } from '../terms/module.js';
import { taskKey, type TaskId } from '../terms/task.js';
import { meets } from './expect.js';
import { noteItems } from './note-items.js';
import type { Run } from './run.js';

/** How often a running job is looked at, and how long a lost connection to it is waited for, milliseconds. */
const JOB_POLL_MS = 5_000;

/** What carrying out a change came to. `unknown`: it may have happened, so the machine is asked again. */
export type Carried =
  | { readonly is: 'done' }
  /** `lost`: the connection went. */
  | { readonly is: 'unknown'; readonly why: string; readonly lost?: 'host' | 'endpoint' }
  | { readonly is: 'failed'; readonly reason: string; readonly hint?: string; readonly retryAfterMs?: number };

export interface Carry {
  readonly task: TaskId;
  readonly module: AnyModule;
  readonly args: Json;
  readonly change: Change;
  readonly attempt: number;
}

/** Performs the actions of a change in order, each recorded with what was made of it. Stops at the first that is not met. */
export async function carryOut(run: Run, actor: Actor, carry: Carry): Promise<Carried> {
  for (const [index, action] of carry.change.actions.entries()) {
    const outcome = await performOne(run, actor, carry, action, index);
    const carried = judge(run, carry, action, outcome);
    const reason = carried.is === 'done' ? {} : { reason: carried.is === 'failed' ? carried.reason : carried.why };
    run.journal.emit({
      e: 'effect',
      task: carry.task,
      attempt: carry.attempt,
      index,
      outcome,
      met: carried.is === 'done',
      ...reason,
    });
    if (carried.is !== 'done') return carried;
  }
  return { is: 'done' };
}

/** An effect's name: the same after a crash, so that a job can be found again. */
const effectId = (run: Run, task: TaskId, attempt: number, index: number): string =>
  `${run.journal.state.run ?? ''}/${taskKey(task)}/${attempt}/${index}`;

async function performOne(run: Run, actor: Actor, carry: Carry, action: Action, index: number): Promise<Outcome> {
  if (action.do === 'ask') return askPerson(run, carry.task, action.question);
  const id = effectId(run, carry.task, carry.attempt, index);
  const outcome = await actor.perform(carry.task.on, action, {
    id,
    inHand: [...run.inHand],
    ...(run.signal === undefined ? {} : { signal: run.signal }),
  });
  if (outcome.is === 'unknown' && outcome.why === 'connection' && action.do === 'job')
    return outcomeOf(await awaitJob(run, actor, carry.task, id, action.command.timeoutMs)) ?? outcome;
  return outcome;
}

async function askPerson(run: Run, task: TaskId, question: string): Promise<Outcome> {
  const answer = await run.askPerson?.(question);
  if (answer === undefined)
    return {
      is: 'refused',
      by: 'machine',
      found: `"${question}" needs a person's answer, and there is no terminal to ask at`,
      hint: 'run it at a terminal; -y answers only whether to begin',
    };
  run.journal.emit({ e: 'answered', task, question, answer });
  return { is: 'said', answer };
}

/** Waits for a job that outlived its connection, or its controller: what it came to, or how it stands at the limit. */
async function awaitJob(run: Run, actor: Actor, task: TaskId, id: string, limitMs: number): Promise<JobState> {
  const until = run.clock.nowMs() + limitMs;
  for (;;) {
    const state = await actor.job(task.on, id);
    if (state.is !== 'running' && state.is !== 'unreachable') return state;
    if (run.clock.nowMs() >= until || run.signal?.aborted === true) return state;
    await run.clock.sleep(JOB_POLL_MS, run.signal);
  }
}

const outcomeOf = (job: JobState): Outcome | undefined =>
  job.is === 'ended' ? { is: 'ended', exit: job.exit, stdout: job.stdout, stderr: job.stderr } : undefined;

/**
 * On resume: the job that an intent without an outcome may have left running is waited for before anything is decided. True when it
 * runs still at its limit. A host that cannot be reached is not waited for: asking it for facts says so.
 */
export async function isStillRunning(run: Run, actor: Actor, task: TaskId): Promise<boolean> {
  const open = run.journal.state.tasks.get(taskKey(task))?.open;
  const action = open?.change.actions[open.met];
  if (open === undefined || action?.do !== 'job') return false;
  const id = effectId(run, task, open.attempt, open.met);
  const now = await actor.job(task.on, id);
  if (now.is !== 'running') return false;
  return (await awaitJob(run, actor, task, id, action.command.timeoutMs)).is === 'running';
}

function judge(run: Run, carry: Carry, action: Action, outcome: Outcome): Carried {
  const met = meets(action, outcome);
  if (met.is === 'unknown') {
    if (outcome.is !== 'unknown' || outcome.why !== 'connection') return { is: 'unknown', why: met.why };
    return { is: 'unknown', why: met.why, lost: action.do === 'request' ? 'endpoint' : 'host' };
  }
  const judgement = carry.module.judge?.(carry.args, outcome, action);
  if (judgement?.is === 'items') return judgeItems(run, carry, action, judgement);
  if (judgement?.is === 'failed') return judgement;
  return met.is === 'met'
    ? { is: 'done' }
    : { is: 'failed', reason: met.reason, ...(met.hint === undefined ? {} : { hint: met.hint }) };
}

function judgeItems(run: Run, carry: Carry, action: Action, { items }: Extract<Judgement, { is: 'items' }>): Carried {
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
