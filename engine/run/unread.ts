import { defined } from '../lib/defined.js';
import type { Truth } from '../terms/condition.js';
import type { Need } from '../terms/fact.js';
import type { Play } from '../terms/playbook.js';
import { goesOnWithout } from './left-out.js';
import { truthWithReads } from './facts/truth-now.js';
import type { Run } from './run.js';
import { readableBy } from './task/changed-by.js';

/** A condition that belongs to no step: of a play, or an invariant of the platform. */
interface Asked {
  readonly play: Play;
  readonly name: string;
  /** Absent: asked once, of no host. */
  readonly host?: string;
  readonly truth: Truth;
  readonly reads: readonly Need[];
}

/** The `when` of a play that a plan goes through: where it is not known, its steps are planned as if it held. */
export async function noteUnreadPlay(run: Run, play: Play): Promise<void> {
  if (play.when === undefined || run.actor !== undefined) return;
  const asked = await truthWithReads(run, play.when, { play });
  noteUnread(run, { play, name: `condition of the play "${play.name}"`, ...asked });
}

/** In a plan: says that it cannot be read, where no step of the plan is the reason and none makes it readable. The plan is not whole then. */
export function noteUnread(run: Run, { play, name, host, truth, reads }: Asked): void {
  if (run.actor !== undefined || run.options.diagnosing === true) return;
  if (truth.is !== 'unknown' || truth.dependsOn.length > 0 || readableBy(run, reads) !== undefined) return;
  const unread = goesOnWithout(run, play) ? 'continues' : 'stops';
  if (unread === 'stops') run.unread.add(name);
  const on = host === undefined ? ({ controller: true } as const) : { host };
  run.journal.emit(
    defined({
      e: 'undecided' as const,
      task: { step: `${play.path}/(${name})`, on },
      ...({ name, because: truth.because, dependsOn: [], touches: [], unread } as const),
    }),
  );
}
