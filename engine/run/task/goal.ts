import type { Play, Step } from '../../terms/playbook.js';
import { taskOf } from './bind.js';
import { elementsOf } from './loop.js';
import { holds, restoredBy } from '../restore/temporary-changes.js';
import type { Run } from '../run.js';
import type { Position } from '../position.js';
import { truthNow } from '../facts/truth-now.js';

/**
 * Why this play is skipped: its `when` is false. Undefined when it must run, as it must where a temporary change of an earlier run, whose
 * record may be lost, is not restored yet: this run then restores it. A step whose own `when` says that it is not for a host left nothing there.
 */
export async function notNeeded(run: Run, play: Play, hosts: readonly string[]): Promise<string | undefined> {
  if (play.when === undefined) return undefined;
  const truth = await truthNow(run, play.when, { play });
  if (truth.is !== false) return undefined;
  for (const host of hosts) if (await leftInPlace(run, play, host)) return undefined;
  return truth.because;
}

async function leftInPlace(run: Run, play: Play, host: string): Promise<boolean> {
  for (const written of play.steps.filter(({ temporary }) => temporary !== undefined)) {
    const elements = await elementsOf(run, written, { play, host });
    if ('reason' in elements) return true;
    for (const { step, position } of elements) {
      if ((await whyElsewhere(run, step, position)) !== undefined) continue;
      const wanted = await restoredBy(run, step, position);
      if (wanted === undefined || !(await holds(run, { task: taskOf(step, position) }, wanted))) return true;
    }
  }
  return false;
}

/** Why the step is not for this host: its own condition or a block's is false. */
export async function whyElsewhere(run: Run, step: Step, position: Position): Promise<string | undefined> {
  const conditions = [...step.blocks.map(({ when }) => when), step.when].filter((when) => when !== undefined);
  for (const when of conditions) {
    const truth = await truthNow(run, when, { ...position, step });
    if (truth.is === false) return truth.because;
  }
  return undefined;
}
