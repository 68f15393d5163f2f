import { isBestEffort } from '../../journal/kept.js';
import { isSettledWell, type TemporaryChange } from '../../journal/state.js';
import type { Wanted } from '../../terms/change.js';
import { done } from '../../terms/fact.js';
import { keyOf } from '../../terms/subject.js';
import { taskKey } from '../../terms/task.js';
import { decideArgs } from '../task/decide.js';
import { moduleOf, needsOf } from './temporary-changes.js';
import type { Run } from '../run.js';
import { resolveFacts } from '../facts/resolve-facts.js';

type Made = TemporaryChange & { readonly made: Wanted };

const HINT =
  'find out what did it (configuration management, a monitor, a colleague) and keep it from doing so; a resume makes the change again';

/**
 * Temporary changes that are not restored yet are checked again, all in one batch: a service that was stopped and runs again would write to
 * what is being upgraded. One that no longer holds is reported and opened again, so that a resume makes it again. Gives that in words, or
 * undefined. A host that cannot be asked now is not judged: the next step there reports it. A plan made nothing, so it asks nothing.
 */
export async function whatWasTakenBack(run: Run): Promise<string | undefined> {
  if (run.actor === undefined) return undefined;
  const busy = underWay(run);
  const made = [...run.journal.state.temporaryChanges.values()].filter(
    (temporaryChange): temporaryChange is Made =>
      isInPlace(run, temporaryChange) && !busy.has(keyOf(temporaryChange.task.on)),
  );
  const due = await dueAgain(run, made);
  for (const { temporaryChange, summary } of due) {
    const reason = `it no longer holds ("${summary}" is due again): an operator or a program reverted it since this run made it`;
    run.journal.emit({ e: 'temporary-reverted', task: temporaryChange.task, because: summary });
    run.journal.emit({
      e: 'settled',
      task: temporaryChange.task,
      name: temporaryChange.name,
      as: 'failed',
      changed: false,
      reason,
      hint: HINT,
      tookMs: 0,
    });
  }
  const names = [...new Set(due.map(({ temporaryChange }) => `"${temporaryChange.name}"`))];
  return names.length === 0 ? undefined : `${names.join(', ')} ${names.length === 1 ? 'was' : 'were'} reverted`;
}

/** Hosts where something was begun and did not end well: it may itself have ended, or half ended, what was made there. */
const underWay = (run: Run): ReadonlySet<string> =>
  new Set(
    [...run.journal.state.tasks.values()].flatMap((t) =>
      t.acted === true && !isSettledWell(t) && t.skipped === undefined ? [keyOf(t.task.on)] : [],
    ),
  );

function isInPlace(run: Run, temporaryChange: TemporaryChange): temporaryChange is Made {
  const { state } = run.journal;
  const lost = 'host' in temporaryChange.task.on && state.lost.has(temporaryChange.task.on.host);
  // What is restored on any failure (a repository) does no harm when another process restored it first: the step that needs it says so.
  if (temporaryChange.restoring.noRestoreAfter === undefined || isBestEffort(temporaryChange)) return false;
  return temporaryChange.made !== undefined && !lost && isSettledWell(state.tasks.get(taskKey(temporaryChange.task)));
}

async function dueAgain(
  run: Run,
  made: readonly Made[],
): Promise<readonly { readonly temporaryChange: TemporaryChange; readonly summary: string }[]> {
  const needs = made
    .flatMap((temporaryChange) => needsOf(run, temporaryChange.task, temporaryChange.made))
    .filter(({ fact }) => fact !== done.name);
  if (needs.length === 0) return [];
  // What was read of them before does not count.
  await run.facts.ask(needs, [...run.inHand]);
  const timeMs = run.clock.nowMs();
  const decided = await resolveFacts(run, (lookup) =>
    made.map((temporaryChange) =>
      decideArgs(
        run,
        moduleOf(run, temporaryChange.made.module),
        temporaryChange.made.args,
        { task: temporaryChange.task, timeMs },
        lookup,
      ),
    ),
  );
  return made.flatMap((temporaryChange, i) => {
    const d = decided[i];
    return d?.is === 'change' ? [{ temporaryChange, summary: d.change.summary }] : [];
  });
}
