import { tasksOf } from '../journal/state.js';
import type { Play } from '../terms/playbook.js';
import type { Run } from './run.js';

/** Of these hosts, those on which an earlier part of the run did something in this play. */
export function actedOn(run: Run, play: Play, hosts: readonly string[]): readonly string[] {
  const tasks = play.steps.flatMap((step) => tasksOf(run.journal.state, step.path));
  const acted = new Set(
    tasks.flatMap(({ acted: did, task: { on } }) => (did === true && 'host' in on ? [on.host] : [])),
  );
  return hosts.filter((host) => acted.has(host));
}
