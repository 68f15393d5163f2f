import { alike } from '../facts/alike.js';
import { doneOf } from '../journal/state.js';
import type { Change, Touch, Verdict } from '../terms/change.js';
import type { Need } from '../terms/fact.js';
import type { Hint, Warning } from '../terms/hint.js';
import type { Json } from '../terms/json.js';
import { taskKey } from '../terms/task.js';
import { decideTask, type Decided, type TaskAt } from './decide.js';
import type { Reading } from './facts.js';
import { noteItems } from './note-items.js';
import { registerTemporary, noteRestored } from './temporary-changes.js';
import { carryOut, type Carried } from './perform.js';
import type { Run } from './run.js';
import type { Failure } from './scope.js';
import { hintOf, settleUndecided, toldOf, warn, type TaskEnd } from './settle.js';
import { isStopping, stopAsked } from './stop.js';
import { resolveFacts } from './resolve-facts.js';

const DEFAULT_WAIT_MS = 600_000;
const DEFAULT_POLL_MS = 2_000;
/** Between the tries that an author asked for: what failed is given time to recover. */
const RETRY_PAUSE_MS = 10_000;
/** A change whose `left` falls may take this many rounds; any other must be done after one. */
const ROUNDS = 10_000;
/** How often the other side may say "later" (429, not ready) before it counts as failed. */
const RETRIES_WHEN_ASKED = 60;
/** A connection that went is no answer: what the machine says is still due is ordered again, though the step has no retries. */
const RETRIES_WHEN_LOST = 2;

/** The tries and rounds of one task of an apply. */
export class Attempt {
  readonly #startedMs: number;
  #number: number;
  #tries = 0;
  #changed = false;
  #left = Number.POSITIVE_INFINITY;
  #waitingSinceMs: number | undefined;
  #warned = false;
  #failFast = 0;
  #acted = 0;
  #touched: Touch[];
  #warnings: readonly Warning[];
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
    // What an earlier part of the run began and could not settle counts as ours.
    this.#touched = [...(before?.open?.change.touches ?? [])];
    this.#warnings = before?.open?.change.warnings ?? [];
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
    const isAway = decided.is === 'failed' && decided.failure.why === 'unreachable';
    // A stop waits for no host that cannot be reached.
    if (isAway && this.#acted > 0 && this.#mayRetry() && !isStopping(run))
      return this.#pause(undefined, run.stopSignal ?? run.signal);
    if (decided.is === 'failed' || decided.is === 'wrong') return settleUndecided(run, at, decided);
    if (decided.is === 'unknown')
      return this.#failed(decided.because, 'a fact that this step needs cannot be known now');
    const { verdict } = decided;
    if (verdict.items !== undefined) noteItems(run, at.task, verdict.items);
    switch (verdict.is) {
      case 'ok':
        return this.#ok(verdict, decided.args);
      case 'blocked':
        if (this.#mayRetry()) return this.#pause();
        return this.#end('blocked', { reason: verdict.reason, ...hintOf(verdict) });
      case 'waiting':
        return this.#wait(verdict);
      case 'change':
        return this.#act(verdict.change, decided.args);
    }
  }

  async #ok(verdict: Extract<Verdict, { is: 'ok' }>, args: Json): Promise<TaskEnd> {
    const { run, at } = this;
    const done = doneOf(run.journal.state, taskKey(at.task));
    const value = verdict.value ?? (done.is === 'done' ? done.value : undefined);
    if (!this.#changed) await registerTemporary(run, at, args);
    if (this.#lastChange !== undefined) await this.#observe(this.#lastChange);
    warn(run, at, verdict.warnings ?? this.#warnings);
    // Before it is settled: a controller that dies in between must not leave the temporary change to a resume that skips this step.
    const touches = at.module.touches(args, { task: at.task, timeMs: run.clock.nowMs() });
    await noteRestored(run, at.task, [...this.#touched, ...touches]);
    return this.#end(this.#changed ? 'done' : 'ok', {
      reason: verdict.because,
      ...(value === undefined ? {} : { value }),
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
    const stop = change.safePoint === true ? stopAsked(run) : undefined;
    if (stop !== undefined) return stop;
    // Further on than before: what was tried again until here is no reason to give up sooner now.
    if (change.left !== undefined && this.#acted > 0) this.#tries = 0;
    this.#waitingSinceMs = undefined;
    this.#left = change.left ?? Number.POSITIVE_INFINITY;
    await registerTemporary(run, at, args);
    const marks = await this.#marks(change);
    this.#number += 1;
    run.journal.emit({ e: 'intent', ...toldOf(this.at), attempt: this.#number, change, marks });
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
    this.#warnings = change.warnings ?? this.#warnings;
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
  #stuck(change: Change): TaskEnd {
    if (this.#unsure?.lost === 'host') {
      const failure: Failure = { is: 'failed', why: 'unreachable', reason: this.#unsure.why };
      return settleUndecided(this.run, this.at, { is: 'failed', failure });
    }
    const { reason, hint } = change.notConverged ?? {
      reason: `did not converge: "${change.summary}" is still due after it was done`,
    };
    return this.#failed(this.#unsure?.why ?? reason, hint);
  }

  async #marks(change: Change): Promise<Record<string, Json>> {
    const entries = Object.entries(change.marks ?? {});
    return resolveFacts(this.run, (lookup) =>
      Object.fromEntries(entries.map(([name, ref]) => [name, valueOr(lookup(ref), null)])),
    );
  }

  /** Observed against predicted: what differs is reported; the next decision says whether it matters. */
  async #observe(change: Change): Promise<void> {
    const expected = change.predicts.flatMap((p) => ('value' in p && p.ref.fact !== 'done' ? [p] : []));
    const observed = await resolveFacts(this.run, (lookup) => expected.map((p) => lookup(p.ref)));
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
    const limitMs = verdict.limitMs ?? at.step.timeoutMs ?? verdict.otherwiseMs ?? DEFAULT_WAIT_MS;
    this.#failFast = verdict.failFast === undefined ? 0 : this.#failFast + 1;
    if (verdict.failFast !== undefined && this.#failFast >= verdict.failFast.readings)
      return this.#notConverged(verdict, `${verdict.failFast.because}, ${verdict.failFast.readings} readings in a row`);
    if (forMs >= limitMs) return this.#notConverged(verdict, `waited ${Math.round(limitMs / 1000)} s: ${verdict.for}`);
    run.journal.emit({ e: 'waiting', task: at.task, for: verdict.for, forMs, limitMs });
    if (verdict.warn !== undefined && forMs >= verdict.warn.afterMs && !this.#warned) {
      this.#warned = true;
      warn(run, at, [verdict.warn.text]);
    }
    if (run.signal?.aborted === true) return this.#failed('interrupted while waiting');
    const isPure = this.#isPureWait();
    const stop = isPure ? stopAsked(run) : undefined;
    if (stop !== undefined) return stop;
    const signal = isPure ? (run.stopSignal ?? run.signal) : run.signal;
    await run.clock.sleep(Math.min(verdict.everyMs ?? DEFAULT_POLL_MS, limitMs - forMs), signal);
    run.facts.forget(at.task.on);
    return 'again';
  }

  /** It changed nothing, in a play that stops after each step: a stop need not wait for it. */
  #isPureWait(): boolean {
    const { play } = this.at.position;
    return play !== undefined && play.safePoint !== true && !this.#changed;
  }

  /** A wait fails with its own reason first, where it has one, and with what it saw. */
  #notConverged({ failure = {} }: Extract<Verdict, { is: 'waiting' }>, saw: string): TaskEnd {
    return this.#failed(failure.reason === undefined ? saw : `${failure.reason} (${saw})`, failure.hint);
  }

  #mayRetry(): boolean {
    const retries = Math.max(this.at.step.retries ?? 0, this.#unsure?.lost === undefined ? 0 : RETRIES_WHEN_LOST);
    return this.#tries < retries && !isAborted(this.run);
  }

  async #pause(afterMs?: number, signal = this.run.signal): Promise<'again'> {
    this.#tries += 1;
    const pauseMs = this.at.step.retries === undefined ? DEFAULT_POLL_MS : RETRY_PAUSE_MS;
    await this.run.clock.sleep(afterMs ?? pauseMs, signal);
    this.run.facts.forget(this.at.task.on);
    return 'again';
  }

  fail(reason: string): TaskEnd {
    return this.#failed(reason);
  }

  #failed(reason: string, hint?: Hint): TaskEnd {
    return this.#end('failed', { reason, ...(hint === undefined ? {} : { hint }) });
  }

  #end(as: 'done' | 'ok' | 'failed' | 'blocked', rest: { reason?: string; hint?: Hint; value?: Json }): TaskEnd {
    this.run.journal.emit({
      e: 'settled',
      ...toldOf(this.at),
      as,
      changed: this.#changed,
      ...rest,
      tookMs: this.run.clock.nowMs() - this.#startedMs,
    });
    return as === 'done' || as === 'ok' ? 'well' : 'failed';
  }
}

/** The second Ctrl-C: nothing more begins. */
const isAborted = (run: Run): boolean => run.signal?.aborted === true;

const valueOr = (reading: Reading, otherwise: Json): Json =>
  'failed' in reading || !reading.known ? otherwise : reading.value;
