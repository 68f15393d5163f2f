import { evaluate } from '../language/condition.js';
import type { Condition, Truth } from '../terms/condition.js';
import type { Play } from '../terms/playbook.js';
import { renderArgs, taskOf } from './bind.js';
import { holds } from './obligations.js';
import type { Run } from './run.js';
import { scopeOf, type Standing } from './scope.js';
import { think } from './think.js';

/**
 * Why a second run may skip this play; undefined when it must run: its goal is not met, or something temporary is still in place. A step whose
 * `when` says that it is not for a host left nothing there.
 */
export async function goalMet(run: Run, play: Play, hosts: readonly string[]): Promise<string | undefined> {
  const { unlessAll } = play;
  if (unlessAll === undefined || play.closing) return undefined;
  const truths = await Promise.all(
    (hosts.length === 0 ? [undefined] : hosts).map((host) =>
      truthOf(run, unlessAll, { play, ...(host === undefined ? {} : { host }) }),
    ),
  );
  if (truths.some((t) => t.is !== true)) return undefined;
  for (const step of play.steps) {
    const { temporary, when } = step;
    if (temporary === undefined) continue;
    for (const host of hosts) {
      const standing: Standing = { play, host };
      if (when !== undefined && (await truthOf(run, when, { ...standing, step })).is === false) continue;
      const wanted = await think(run, (peek) => ({
        bound: renderArgs(run, temporary.module, temporary.args, scopeOf(run, { ...standing, step }, peek, [])),
        task: taskOf(run, step, standing, peek),
      }));
      if (wanted.bound.is !== 'bound') return undefined;
      if (!(await holds(run, wanted, { module: temporary.module, args: wanted.bound.args, on: wanted.task.on })))
        return undefined;
    }
  }
  return truths[0]?.because ?? 'its goal is met';
}

const truthOf = (run: Run, condition: Condition, standing: Standing): Promise<Truth> =>
  think(run, (peek) => evaluate(condition, scopeOf(run, standing, peek, [])));
