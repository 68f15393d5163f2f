import { tasksOf } from '../journal/state.js';
import type { Play } from '../terms/playbook.js';
import type { Run } from './run.js';

/** Of these hosts, those on which an earlier part of the run did something in this play. */
export const actedOn = (run: Run, play: Play, hosts: readonly string[]): readonly string[] =>
  hosts.filter((host) =>
    play.steps.some((step) =>
      tasksOf(run.journal.state, step.path).some(
        (t) => t.acted === true && 'host' in t.task.on && t.task.on.host === host,
      ),
    ),
  );
