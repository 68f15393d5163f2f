import type { Need } from '../terms/fact.js';
import type { Step } from '../terms/playbook.js';
import { FactRounds, type FactLookup } from './facts/resolve-facts.js';
import { subjectOf, type Position } from './position.js';
import type { Run } from './run.js';
import { bind, taskOf } from './task/bind.js';
import { expand, type Placed } from './task/loop.js';

/** Steps this far ahead have their facts read in the same round trip. */
export const READ_AHEAD = 25;
/** Facts cheap enough to read before it is certain that they are needed. */
const CHEAP: ReadonlySet<string> = new Set(['file', 'content', 'package', 'service', 'port', 'system', 'disk']);

/** The cheap facts of a host that its coming steps will ask for, as far as their arguments are known already. */
export class ReadAhead {
  /** What a step whose arguments are known reads: once that is forgotten it is read again, without evaluating the step again. */
  readonly #reads = new Map<Step, readonly Need[]>();
  /** Steps of which there is nothing to ask until what was read of the host is forgotten. In a plan nothing is. */
  readonly #seen = new Set<Step>();
  #forgotten = 0;

  constructor(
    private readonly run: Run,
    private readonly position: Position,
  ) {}

  needs(coming: readonly Placed[]): readonly Need[] {
    const { run, position } = this;
    if (position.host === undefined) return [];
    const forgotten = run.facts.timesForgotten(subjectOf(position));
    if (forgotten !== this.#forgotten) this.#seen.clear();
    this.#forgotten = forgotten;
    const isRead = (ref: Need): boolean => run.facts.lookup(ref) !== undefined;
    let read: Need[] = [];
    const rounds = new FactRounds((ref) => {
      if (this.#isWanted(ref)) read.push(ref);
      return run.facts.lookup(ref);
    });
    const readsOf = (placed: Placed): readonly Need[] => {
      read = [];
      const { result: isDue } = rounds.next((lookup) => look(run, placed, lookup));
      if (isDue) this.#reads.set(placed.step, read);
      else if (run.actor === undefined || read.every(isRead)) this.#seen.add(placed.step);
      return read;
    };
    return coming
      .slice(0, READ_AHEAD)
      .filter(({ step }) => !this.#seen.has(step))
      .flatMap((placed) => this.#reads.get(placed.step) ?? readsOf(placed))
      .filter((ref) => !isRead(ref));
  }

  #isWanted({ fact, of }: Need): boolean {
    return CHEAP.has(fact) && 'host' in of && of.host === this.position.host;
  }
}

/** Whether the step is due as far as is known, with arguments that are known. */
function look(run: Run, { step, position }: Placed, lookup: FactLookup): boolean {
  try {
    const elements = expand(run, step, position, lookup);
    return !('reason' in elements) && elements.map((element) => lookAt(run, element, lookup)).every(Boolean);
  } catch {
    // A defect of a later step is reported once it is that step's turn.
    return false;
  }
}

function lookAt(run: Run, { step, position }: Placed, lookup: FactLookup): boolean {
  const bound = bind(run, step, position, lookup);
  const module = run.modules.get(step.module);
  if (bound.is !== 'bound' || module === undefined) return false;
  const at = { task: taskOf(step, position), timeMs: 0 };
  for (const ref of Object.values(module.needs(bound.args, at))) lookup(ref);
  return true;
}
