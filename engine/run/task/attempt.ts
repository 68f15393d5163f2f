import { alike } from '../../facts/alike.js';
import { defined } from '../../lib/defined.js';
import { doneOf } from '../../journal/state.js';
import type { Change, Touch } from '../../terms/change.js';
import type { Need } from '../../terms/fact.js';
import type { Hint, Warning } from '../../terms/hint.js';
import type { Json } from '../../terms/json.js';
import { taskKey } from '../../terms/task.js';
import { decideTask, type TaskAt } from './decide.js';
import type { Reading } from '../facts/facts.js';
import { nextAfter, nextMove, noProgress, type Moment, type Move, type Progress } from './next-move.js';
import { noteItems } from './note-items.js';
import { defectOfTask, defectText } from './defect.js';
import type { Performed } from './expect.js';
import { perform } from './perform.js';
import { registerTemporary, noteRestored } from '../restore/temporary-changes.js';
import type { Run } from '../run.js';
import { isTold } from './unsure.js';
import { settled, skipped, stepLabel, warn, type TaskEnd } from './settle.js';
import { stopAsked } from '../stop.js';
import { resolveFacts } from '../facts/resolve-facts.js';

/** A change whose `left` falls may take this many rounds; any other must be done after one. */
const ROUNDS = 10_000;

type Moved<D extends Move['do']> = Extract<Move, { readonly do: D }>;

/** One task of an apply: decides, makes the next move (next-move.ts), and decides again until the task is settled. */
export class Attempt {
  readonly #startedMs: number;
  #progress: Progress;
  #number: number;
  /** What an earlier part of the run began and could not settle counts as ours. */
  #touched: Touch[];
  #warnings: readonly Warning[];
  #lastChange: Change | undefined;

  constructor(
    private readonly run: Run,
    private readonly at: TaskAt,
  ) {
    this.#startedMs = run.clock.nowMs();
    const before = run.journal.state.tasks.get(taskKey(at.task));
    this.#number = before?.attempts ?? 0;
    this.#progress = noProgress(before?.open !== undefined);
    this.#touched = [...(before?.open?.change.touches ?? [])];
    this.#warnings = before?.open?.change.warnings ?? [];
  }

  async settle(ahead: () => readonly Need[]): Promise<TaskEnd> {
    const { run, at } = this;
    run.facts.forgetEndpoints();
    // What coming steps read is asked with the first question, and with the one after an action, which makes it unknown again.
    let asksAhead = true;
    for (let round = 0; round < ROUNDS; round += 1) {
      const attempts = this.#number;
      const decision = await decideTask(run, at, asksAhead ? ahead : undefined);
      if ('items' in decision) noteItems(run, at.task, decision.items);
      if (decision.is === 'blocked' && decision.unsure !== undefined && (await isTold(run, at, decision.unsure)))
        continue;
      const end = await this.#make(nextMove(this.#progress, decision, this.#moment()));
      if (end !== 'again') return end;
      asksAhead = this.#number > attempts;
    }
    return this.fail({ reason: `did not converge in ${ROUNDS} rounds` });
  }

  #moment(): Moment {
    const { run, at } = this;
    const { play } = at.position;
    return defined({
      nowMs: run.clock.nowMs(),
      retries: at.step.retries,
      timeoutMs: at.step.timeoutMs,
      aborted: run.signal?.aborted === true,
      stop: stopAsked(run),
      stopsHere: play !== undefined && play.safePoint !== true,
    });
  }

  async #make(move: Move): Promise<TaskEnd | 'again'> {
    if ('progress' in move) this.#progress = move.progress;
    switch (move.do) {
      case 'skip':
        return skipped(this.run, this.at, move.because);
      case 'settle':
        return this.#settle(move);
      case 'act':
        return this.#act(move);
      case 'decide':
        return 'again';
      case 'retry':
        return this.#pause(move);
      case 'wait':
        return this.#wait(move);
      case 'stop':
        return move.stop;
      case 'fail':
        return this.fail(move);
    }
  }

  async #settle({ verdict, args }: Moved<'settle'>): Promise<TaskEnd> {
    const { run, at } = this;
    const { changed } = this.#progress;
    const done = doneOf(run.journal.state, at.task);
    if (!changed) await registerTemporary(run, at, args);
    if (this.#lastChange !== undefined) await this.#observe(this.#lastChange);
    warn(run, at, verdict.warnings ?? this.#warnings);
    // Before it is settled: a controller that dies in between must not leave the temporary change to a resume that skips this step.
    const touches = at.module.touches(args, { task: at.task, timeMs: run.clock.nowMs() });
    await noteRestored(run, at.task, [...this.#touched, ...touches]);
    const value = verdict.value ?? (done.is === 'done' ? done.value : undefined);
    return settled(run, at, {
      as: changed ? 'done' : 'ok',
      changed,
      reason: verdict.because,
      value,
      tookMs: this.#tookMs(),
    });
  }

  async #act({ change, args }: Moved<'act'>): Promise<TaskEnd | 'again'> {
    const { run, at } = this;
    const { actor } = run;
    if (actor === undefined) throw new Error('a plan cannot act');
    await registerTemporary(run, at, args);
    const marks = await this.#marks(change);
    this.#number += 1;
    const attempt = this.#number;
    run.journal.emit({ e: 'intent', ...stepLabel(at), attempt, change, marks });
    const carry = { task: at.task, module: at.module, args, change, attempt };
    const performed = await perform(run, actor, carry).catch((error: unknown) => this.#unsure(error));
    this.#touched.push(...change.touches);
    this.#warnings = change.warnings ?? this.#warnings;
    if (performed.is !== 'failed') this.#lastChange = change;
    run.facts.forget(at.task.on);
    return this.#make(nextAfter(this.#progress, performed, this.#moment()));
  }

  /** What was thrown between its intent and its outcome may have come before the act or after it: the host is asked. */
  #unsure(error: unknown): Performed {
    const defect = defectOfTask(this.run, this.at.task, error);
    warn(this.run, this.at, [{ text: defect.reason, hint: defect.hint }]);
    return { is: 'unknown', why: defectText(defect) };
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

  async #wait(move: Moved<'wait'>): Promise<TaskEnd | 'again'> {
    const { run, at } = this;
    const { for: what, forMs, limitMs, warning, then } = move;
    run.journal.emit({ e: 'waiting', task: at.task, for: what, forMs, limitMs });
    if (warning !== undefined) warn(run, at, [warning]);
    return then === undefined ? this.#pause(move) : this.#make(then);
  }

  async #pause({ pauseMs, untilStop }: Moved<'wait' | 'retry'>): Promise<'again'> {
    const { run, at } = this;
    await run.clock.sleep(pauseMs, untilStop ? (run.stopSignal ?? run.signal) : run.signal);
    run.facts.forget(at.task.on);
    return 'again';
  }

  fail({ as = 'failed', reason, hint, unsure }: Partial<Moved<'fail'>> & { reason: string; hint?: Hint }): TaskEnd {
    const { changed } = this.#progress;
    return settled(this.run, this.at, { as, changed, reason, hint, unsure, tookMs: this.#tookMs() });
  }

  #tookMs(): number {
    return this.run.clock.nowMs() - this.#startedMs;
  }
}

const valueOr = (reading: Reading, otherwise: Json): Json =>
  'failed' in reading || !reading.known ? otherwise : reading.value;
