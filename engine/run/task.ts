import { doneOf, isSettledWell } from '../journal/state.js';
import { alike } from '../facts/alike.js';
import type { Change, Touch, Verdict } from '../terms/change.js';
import type { Need } from '../terms/fact.js';
import type { Json } from '../terms/json.js';
import type { Step } from '../terms/playbook.js';
import { taskKey, type TaskId } from '../terms/task.js';
import { taskOf, touchesOf } from './bind.js';
import { decideTask, type Decided, type TaskAt } from './decide.js';
import type { Reading } from './facts.js';
import { owe, payWhatIsTrue } from './obligations.js';
import { carryOut, isStillRunning, type Carried } from './perform.js';
import type { Run } from './run.js';
import type { Failure, Standing } from './scope.js';
import { think } from './think.js';
import { isUntilMet } from './until.js';

/** How a task ended, for the play that runs it. */
export type TaskEnd = 'well' | 'failed' | 'unreachable';

const DEFAULT_WAIT_MS = 600_000;
const DEFAULT_POLL_MS = 2_000;
/** A change whose `left` falls may take this many rounds; any other must be done after one. */
const ROUNDS = 10_000;
/** How often the other side may say "later" (429, not ready) before it counts as failed. */
const RETRIES_WHEN_ASKED = 60;
/** A connection that went is no answer: what the machine says is still due is ordered again, though the step has no retries. */
const RETRIES_WHEN_LOST = 2;
const STILL_RUNNING = 'what an earlier attempt started is still running on the host; another is not started beside it';

/**
 * One step on one host, from its facts to its settlement: the same road for a plan, an apply and a resume.
 *
 *     bind → decide → ok ─────────────────────────────▶ settled ok | done
 *               │ ▲      waiting → sleep ─┐
 *               │ └──────── ask again ◀───┤
 *               └→ change → intent → perform ─▶ failed ─▶ retry? ─▶ settled failed
 */
export async function runTask(
  run: Run,
  step: Step,
  standing: Standing,
  ahead: () => readonly Need[],
): Promise<TaskEnd> {
  const module = run.modules.get(step.module);
  if (module === undefined) throw new Error(`no module ${step.module}: the playbook was not validated`);
  const task = await think(run, (peek) => taskOf(run, step, standing, peek));
  return runTaskAt(run, { step, standing, task, module }, ahead);
}

/** The same for a task that is already placed. */
export async function runTaskAt(run: Run, at: TaskAt, ahead: () => readonly Need[] = () => []): Promise<TaskEnd> {
  if (isSettledWell(run.journal.state.tasks.get(taskKey(at.task)))) return 'well';
  if (run.actor === undefined) return planTask(run, at, ahead);
  const attempt = new Attempt(run, at);
  if (await isStillRunning(run, run.actor, at.task)) return attempt.fail(STILL_RUNNING);
  return attempt.settle(ahead);
}

/** A plan: what would be done is told, and laid over the facts for the steps after it. */
async function planTask(run: Run, at: TaskAt, ahead: () => readonly Need[]): Promise<TaskEnd> {
  const { step, task, module } = at;
  const told = { task, name: step.name, ...(step.spec === undefined ? {} : { spec: step.spec }) };
  run.planTime.ms += 1;
  const decided = await decideTask(run, at, ahead);
  if (decided.is === 'skip')
    return (run.journal.emit({ e: 'task-skipped', task, name: step.name, because: decided.because }), 'well');
  if (decided.is === 'failed' || decided.is === 'wrong') return settleUndecided(run, at, decided);
  if (decided.is === 'unknown') {
    const touches = touchesOf(module, task, decided.args, run.planTime.ms);
    run.facts.layUnknown(touches, { because: `"${step.name}" is known only at apply`, dependsOn: [step.path] });
    run.journal.emit({ e: 'undecided', ...told, because: decided.because, dependsOn: decided.dependsOn, touches });
    await owe(run, at);
    return 'well';
  }
  const { verdict } = decided;
  if (verdict.is === 'change') {
    run.facts.layPredictions(verdict.change.touches, verdict.change.predicts, {
      because: `"${step.name}" changes it`,
      dependsOn: [step.path],
    });
    run.journal.emit({
      e: 'checked',
      ...told,
      verdict: 'change',
      because: verdict.change.summary,
      change: verdict.change,
    });
    await owe(run, at);
    return 'well';
  }
  if (verdict.is === 'waiting')
    return (run.journal.emit({ e: 'checked', ...told, verdict: 'waiting', because: verdict.for }), 'well');
  if (verdict.is === 'blocked') {
    run.journal.emit({
      e: 'settled',
      ...told,
      as: 'blocked',
      changed: false,
      reason: verdict.reason,
      ...hintOf(verdict),
      tookMs: 0,
    });
    return 'failed';
  }
  run.journal.emit({
    e: 'settled',
    ...told,
    as: 'ok',
    changed: false,
    reason: verdict.because,
    ...(verdict.value === undefined ? {} : { value: verdict.value }),
    tookMs: 0,
  });
  await owe(run, at);
  return 'well';
}

/** The tries and rounds of one task of an apply. */
class Attempt {
  readonly #startedMs: number;
  #number: number;
  #tries = 0;
  #changed = false;
  #left = Number.POSITIVE_INFINITY;
  #waitingSinceMs: number | undefined;
  #warned = false;
  #hopeless = 0;
  #acted = 0;
  #touched: Touch[] = [];
  #lastChange: Change | undefined;
  #unsure: Extract<Carried, { is: 'unknown' }> | undefined;

  constructor(
    private readonly run: Run,
    private readonly at: TaskAt,
  ) {
    this.#startedMs = run.clock.nowMs();
    const before = run.journal.state.tasks.get(taskKey(at.task));
    this.#number = before?.attempts ?? 0;
    this.#changed = before?.open !== undefined;
  }

  async settle(ahead: () => readonly Need[]): Promise<TaskEnd> {
    this.run.facts.forgetEndpoints();
    for (let round = 0; round < ROUNDS; round += 1) {
      const decided = await decideTask(this.run, this.at, round === 0 ? ahead : undefined);
      const end = await this.#take(decided);
      if (end !== 'again') return end;
    }
    return this.#failed(`did not converge in ${ROUNDS} rounds`);
  }

  async #take(decided: Decided): Promise<TaskEnd | 'again'> {
    const { run, at } = this;
    if (decided.is === 'skip')
      return (
        run.journal.emit({ e: 'task-skipped', task: at.task, name: at.step.name, because: decided.because }),
        'well'
      );
    if (decided.is === 'failed' && decided.failure.why === 'unreachable' && this.#acted > 0 && this.#mayRetry())
      return this.#pause();
    if (decided.is === 'failed' || decided.is === 'wrong') return settleUndecided(run, at, decided, this.#told());
    if (decided.is === 'unknown')
      return this.#failed(decided.because, 'a fact that this step needs cannot be known now');
    const { verdict } = decided;
    switch (verdict.is) {
      case 'ok':
        return this.#ok(verdict);
      case 'blocked':
        return this.#end('blocked', { reason: verdict.reason, ...hintOf(verdict) });
      case 'waiting':
        return this.#wait(verdict);
      case 'change':
        return this.#act(verdict.change, decided.args);
    }
  }

  async #ok(verdict: Extract<Verdict, { is: 'ok' }>): Promise<TaskEnd | 'again'> {
    const { run, at } = this;
    const done = doneOf(run.journal.state, taskKey(at.task));
    const value = verdict.value ?? (done.is === 'done' ? done.value : undefined);
    if (!(await isUntilMet(run, at, value ?? null))) {
      if (!this.#mayRetry()) return this.#failed(`its condition "until" was not met after ${this.#tries + 1} tries`);
      this.#undo(done.is === 'done');
      return this.#pause();
    }
    if (!this.#changed) await owe(run, at);
    if (this.#lastChange !== undefined) await this.#observe(this.#lastChange);
    return this.#end(this.#changed ? 'done' : 'ok', {
      reason: verdict.because,
      ...(value === undefined ? {} : { value }),
    });
  }

  /** A thing done whose value did not satisfy `until` is to be done again: its effect counts as not met. */
  #undo(wasDone: boolean): void {
    const open = this.run.journal.state.tasks.get(taskKey(this.at.task))?.open;
    if (wasDone && open !== undefined)
      this.run.journal.emit({
        e: 'effect',
        task: this.at.task,
        attempt: open.attempt,
        index: open.met,
        outcome: { is: 'applied' },
        met: false,
        reason: 'until',
      });
  }

  async #act(change: Change, args: Json): Promise<TaskEnd | 'again'> {
    const { run, at } = this;
    const actor = run.actor;
    if (actor === undefined) throw new Error('a plan cannot act');
    if (this.#acted > 0 && !((change.left ?? Number.POSITIVE_INFINITY) < this.#left)) {
      if (!this.#mayRetry()) return this.#stuck(change);
      this.#acted = 0;
      return this.#pause();
    }
    if (isAborted(run)) return this.#failed('interrupted before it was done');
    this.#left = change.left ?? Number.POSITIVE_INFINITY;
    await owe(run, at);
    const marks = await this.#marks(change);
    this.#number += 1;
    run.journal.emit({ e: 'intent', ...this.#told(), attempt: this.#number, change, marks });
    const carried = await carryOut(run, actor, {
      task: at.task,
      module: at.module,
      args,
      change,
      attempt: this.#number,
    });
    this.#changed = true;
    this.#acted += 1;
    this.#touched.push(...change.touches);
    run.facts.forget(at.task.on);
    if (carried.is === 'unknown' && isAborted(run))
      return this.#failed(carried.why, 'what became of it is asked by resume');
    if (carried.is === 'failed') {
      const asked = carried.retryAfterMs !== undefined && this.#tries < RETRIES_WHEN_ASKED;
      if (!asked && !this.#mayRetry()) return this.#failed(carried.reason, carried.hint);
      this.#acted = 0;
      return this.#pause(carried.retryAfterMs);
    }
    this.#unsure = carried.is === 'unknown' ? carried : undefined;
    this.#lastChange = change;
    return 'again';
  }

  /** What was ordered is still due. A lost connection or a passed limit says more than that. */
  #stuck(change: Change): Promise<TaskEnd> | TaskEnd {
    if (this.#unsure?.lost === 'host') {
      const failure: Failure = { is: 'failed', why: 'unreachable', reason: this.#unsure.why };
      return settleUndecided(this.run, this.at, { is: 'failed', failure }, this.#told());
    }
    return this.#failed(this.#unsure?.why ?? `did not converge: "${change.summary}" is still due after it was done`);
  }

  async #marks(change: Change): Promise<Record<string, Json>> {
    const entries = Object.entries(change.marks ?? {});
    return think(this.run, (peek) =>
      Object.fromEntries(entries.map(([name, ref]) => [name, valueOr(peek(ref), null)])),
    );
  }

  /** Observed against predicted: what differs is reported; the next decision says whether it matters. */
  async #observe(change: Change): Promise<void> {
    const expected = change.predicts.flatMap((p) => ('value' in p && p.ref.fact !== 'done' ? [p] : []));
    const observed = await think(this.run, (peek) => expected.map((p) => peek(p.ref)));
    const differs = expected.flatMap((p, i) => {
      const found = observed[i];
      if (found === undefined || 'failed' in found || !found.known || alike(p.value, found.value)) return [];
      return [{ ref: p.ref, predicted: p.value, observed: found.value }];
    });
    if (differs.length > 0) this.run.journal.emit({ e: 'observed', task: this.at.task, differs });
  }

  async #wait(verdict: Extract<Verdict, { is: 'waiting' }>): Promise<TaskEnd | 'again'> {
    const { run, at } = this;
    const nowMs = run.clock.nowMs();
    this.#waitingSinceMs ??= nowMs;
    const forMs = nowMs - this.#waitingSinceMs;
    const limitMs = verdict.limitMs ?? at.step.timeoutMs ?? DEFAULT_WAIT_MS;
    this.#hopeless = verdict.hopeless === undefined ? 0 : this.#hopeless + 1;
    if (verdict.hopeless !== undefined && this.#hopeless >= verdict.hopeless.readings)
      return this.#failed(`${verdict.hopeless.because} (${verdict.hopeless.readings} readings in a row)`);
    if (forMs >= limitMs) return this.#failed(`waited ${Math.round(limitMs / 1000)} s: ${verdict.for}`);
    run.journal.emit({ e: 'waiting', task: at.task, for: verdict.for, forMs, limitMs });
    if (verdict.warn !== undefined && forMs >= verdict.warn.afterMs && !this.#warned) {
      this.#warned = true;
      run.journal.emit({
        e: 'warned',
        task: at.task,
        text: verdict.warn.text,
        ...(at.step.spec === undefined ? {} : { spec: at.step.spec }),
      });
    }
    if (run.signal?.aborted === true) return this.#failed('interrupted while waiting');
    await run.clock.sleep(Math.min(verdict.everyMs ?? at.step.delayMs ?? DEFAULT_POLL_MS, limitMs - forMs), run.signal);
    run.facts.forget(at.task.on);
    return 'again';
  }

  #mayRetry(): boolean {
    const retries = Math.max(this.at.step.retries ?? 0, this.#unsure?.lost === undefined ? 0 : RETRIES_WHEN_LOST);
    return this.#tries < retries && !isAborted(this.run);
  }

  async #pause(afterMs?: number): Promise<'again'> {
    this.#tries += 1;
    await this.run.clock.sleep(afterMs ?? this.at.step.delayMs ?? DEFAULT_POLL_MS, this.run.signal);
    this.run.facts.forget(this.at.task.on);
    return 'again';
  }

  fail(reason: string): Promise<TaskEnd> {
    return this.#failed(reason);
  }

  #failed(reason: string, hint?: string): Promise<TaskEnd> {
    return this.#end('failed', { reason, ...(hint === undefined ? {} : { hint }) });
  }

  async #end(
    as: 'done' | 'ok' | 'failed' | 'blocked',
    rest: { reason?: string; hint?: string; value?: Json },
  ): Promise<TaskEnd> {
    this.run.journal.emit({
      e: 'settled',
      ...this.#told(),
      as,
      changed: this.#changed,
      ...rest,
      tookMs: this.run.clock.nowMs() - this.#startedMs,
    });
    if (as === 'done') await payWhatIsTrue(this.run, this.at.task, this.#touched);
    return as === 'done' || as === 'ok' ? 'well' : 'failed';
  }

  #told(): { task: TaskId; name: string; spec?: string } {
    const { step, task } = this.at;
    return { task, name: step.name, ...(step.spec === undefined ? {} : { spec: step.spec }) };
  }
}

/** A step whose facts or arguments could not be had: the host is lost, or the step fails. */
function settleUndecided(
  run: Run,
  at: TaskAt,
  decided: { is: 'failed'; failure: Failure } | { is: 'wrong'; message: string },
  told = { task: at.task, name: at.step.name },
): TaskEnd {
  const lost = decided.is === 'failed' && decided.failure.why === 'unreachable';
  const reason = decided.is === 'failed' ? decided.failure.reason : decided.message;
  const hint = decided.is === 'failed' ? decided.failure.hint : undefined;
  const why = { reason, ...(hint === undefined ? {} : { hint }) };
  if (lost && 'host' in at.task.on) run.journal.emit({ e: 'host-lost', host: at.task.on.host, ...why });
  run.journal.emit({ e: 'settled', ...told, as: lost ? 'unreachable' : 'failed', changed: false, ...why, tookMs: 0 });
  return lost ? 'unreachable' : 'failed';
}

/** The second Ctrl-C: nothing more begins. */
const isAborted = (run: Run): boolean => run.signal?.aborted === true;

const hintOf = (v: { readonly hint?: string }): { hint?: string } => (v.hint === undefined ? {} : { hint: v.hint });
const valueOr = (reading: Reading, otherwise: Json): Json =>
  'failed' in reading || !reading.known ? otherwise : reading.value;
