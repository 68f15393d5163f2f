import { inspectEvents, listRuns, openRunFolder, stampOf, type Runs } from '../../journal/run-folder.js';
import type { PlannedStep } from '../../report/plan/planned-steps.js';
import { refKey } from '../../terms/fact.js';
import { taskKey } from '../../terms/task.js';

/** What the runs of an inventory did: steps with their hosts, as the applied playbook calls them, and facts that these changed. */
export interface DoneSince {
  readonly steps: ReadonlySet<string>;
  readonly facts: ReadonlySet<string>;
}

/** Of the runs that began since then, without that one. */
export function doneSince(runs: Runs, atMs: number, without?: string): DoneSince {
  const events = listRuns(runs)
    .filter((id) => id >= stampOf(atMs) && id !== without)
    .flatMap((id) => inspectEvents(openRunFolder(runs, id)).events.map(({ event }) => event));
  const steps = new Set(events.flatMap((e) => (e.e === 'settled' && e.as === 'done' ? [taskKey(e.task)] : [])));
  const changes = events.flatMap((e) => (e.e === 'intent' && steps.has(taskKey(e.task)) ? [e.change] : []));
  return { steps, facts: new Set(changes.flatMap(({ predicts }) => predicts.map(({ ref }) => refKey(ref)))) };
}

/** The same step, also where another playbook imports it; or other steps that changed all that it would change. */
export function isDone({ steps, facts }: DoneSince, step: PlannedStep): boolean {
  if (step.facts.length > 0 && step.facts.every((fact) => facts.has(fact))) return true;
  // `upgrade-4.14/prepare/Play/Step@host` is what a run of prepare.yaml calls `prepare/Play/Step@host`.
  for (let { key } = step; ; key = key.slice(key.indexOf('/') + 1)) {
    if (steps.has(key)) return true;
    if (!key.includes('/')) return false;
  }
}
