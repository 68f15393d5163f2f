import { inspectEvents, listRuns, openRunFolder, stampOf, type Runs } from '../../journal/run-folder.js';
import type { PlannedStep } from '../../report/plan/planned-steps.js';
import type { Event } from '../../terms/event.js';
import { refKey } from '../../terms/fact.js';
import { taskKey } from '../../terms/task.js';

/** What runs of an inventory did, each with the run: `Prepare (run 2026-11-25T22-00-02Z)`. */
export interface DoneSince {
  /** Steps with their hosts, as the applied playbook calls them: those that changed something, and those that found all as wanted. */
  readonly done: ReadonlyMap<string, string>;
  readonly found: ReadonlyMap<string, string>;
  /** What the former changed. */
  readonly facts: ReadonlyMap<string, string>;
}

/** Of the runs that began since then and, where a run is named, before that one. */
export function doneSince(runs: Runs, atMs: number, before?: string): DoneSince {
  const [done, found, facts] = [new Map<string, string>(), new Map<string, string>(), new Map<string, string>()];
  for (const id of listRuns(runs)) {
    if (id < stampOf(atMs) || (before !== undefined && id >= before)) continue;
    const events = inspectEvents(openRunFolder(runs, id)).events.map(({ event }) => event);
    const run = nameOf(id, events);
    for (const e of events)
      if (e.e === 'settled' && (e.as === 'done' || e.as === 'ok'))
        (e.as === 'done' ? done : found).set(taskKey(e.task), run);
    for (const e of events)
      if (e.e === 'intent' && done.has(taskKey(e.task)))
        for (const { ref } of e.change.predicts) facts.set(refKey(ref), run);
  }
  return { done, found, facts };
}

function nameOf(id: string, events: readonly Event[]): string {
  const started = events.find((e) => e.e === 'run-started');
  return started === undefined ? `run ${id}` : `${started.playbook} (run ${id})`;
}

/** The run that did the same step, also where another playbook imports it; or other steps that changed all that it would change. */
export function runThatDid({ done, found, facts }: DoneSince, step: PlannedStep): string | undefined {
  const [run] = step.facts.map((fact) => facts.get(fact));
  if (run !== undefined && step.facts.every((fact) => facts.has(fact))) return run;
  // `upgrade-4.14/prepare/Play/Step@host` is what a run of prepare.yaml calls `prepare/Play/Step@host`.
  for (let { key } = step; ; key = key.slice(key.indexOf('/') + 1)) {
    const same = done.get(key) ?? (step.is === 'change' ? undefined : found.get(key));
    if (same !== undefined || !key.includes('/')) return same;
  }
}
