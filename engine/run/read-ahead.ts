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
  /** Steps of which there is nothing to ask until what was read of the host is forgotten. In a plan nothing is. */
  readonly #seen = new Set<Step>();
  #forgotten = 0;

  constructor(
    private readonly run: Run,
    private readonly position: Position,
  ) {}

  needs(coming: readonly Placed[]): readonly Need[] {
    const { run, position } = this;
    const { host } = position;
    if (host === undefined) return [];
    const forgotten = run.facts.timesForgotten(subjectOf(position));
    if (forgotten !== this.#forgotten) this.#seen.clear();
    this.#forgotten = forgotten;
    const rounds = new FactRounds((ref) => run.facts.lookup(ref));
    return coming
      .slice(0, READ_AHEAD)
      .filter(({ step }) => !this.#seen.has(step))
      .flatMap((placed) => {
        const { missing } = rounds.next((lookup) => look(run, placed, lookup));
        const needs = [...missing.values()].filter((n) => CHEAP.has(n.fact) && 'host' in n.of && n.of.host === host);
        if (needs.length === 0 || run.actor === undefined) this.#seen.add(placed.step);
        return needs;
      });
  }
}

function look(run: Run, { step, position }: Placed, lookup: FactLookup): void {
  try {
    const elements = expand(run, step, position, lookup);
    if (!('reason' in elements)) for (const element of elements) lookAt(run, element, lookup);
  } catch {
    // A defect of a later step is reported once it is that step's turn.
  }
}

function lookAt(run: Run, { step, position }: Placed, lookup: FactLookup): void {
  const bound = bind(run, step, position, lookup);
  const module = run.modules.get(step.module);
  if (bound.is !== 'bound' || module === undefined) return;
  const at = { task: taskOf(step, position), timeMs: 0 };
  for (const ref of Object.values(module.needs(bound.args, at))) lookup(ref);
}
