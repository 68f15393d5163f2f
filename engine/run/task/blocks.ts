import { blockKey } from '../../journal/state.js';
import { evaluate } from '../../language/condition.js';
import type { Truth } from '../../terms/condition.js';
import type { Block, Step } from '../../terms/playbook.js';
import type { Run } from '../run.js';
import { scopeOf } from '../facts/scope.js';
import { subjectOf, type Position } from '../position.js';
import { resolveFacts, type FactLookup } from '../facts/resolve-facts.js';

/** Asks the conditions of the blocks around this step that were not asked here yet, and records the answers: they hold for all their steps. */
export async function enterBlocks(run: Run, step: Step, position: Position): Promise<void> {
  const on = subjectOf(position);
  for (const block of step.blocks) {
    const recorded = run.journal.state.blocks.get(blockKey(block.path, on));
    const truth = recorded ?? (await resolveFacts(run, (lookup) => ask(run, block, position, lookup)));
    // What cannot be known now is reported by the step itself.
    if (truth.is === 'unknown') return;
    if (recorded === undefined && block.when !== undefined) {
      const members = (position.play?.steps ?? []).flatMap((it) =>
        it.blocks.some(({ path }) => path === block.path) ? [it.path] : [],
      );
      run.journal.emit({ e: 'block', block: block.path, on, members, is: truth.is, because: truth.because });
    }
    if (!truth.is) return;
  }
}

/** Why the step is not due here, or not known to be, by the blocks around it; undefined where all their conditions hold. */
export function blockedBy(run: Run, step: Step, position: Position, lookup: FactLookup): Truth | undefined {
  const on = subjectOf(position);
  for (const block of step.blocks) {
    const truth = run.journal.state.blocks.get(blockKey(block.path, on)) ?? ask(run, block, position, lookup);
    if (truth.is !== true) return truth;
  }
  return undefined;
}

const ask = (run: Run, { when }: Block, { step: _, ...position }: Position, lookup: FactLookup): Truth =>
  when === undefined ? { is: true, because: '' } : evaluate(when, scopeOf(run, position, lookup, []));
