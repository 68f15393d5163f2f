import type { AnyModule } from '../terms/module.js';
import type { Play, Step } from '../terms/playbook.js';
import { bind, taskOf, touchesOf } from './task/bind.js';
import { hostsNow, isTagged } from './chosen.js';
import type { Run } from './run.js';
import type { Position } from './position.js';
import { expand, type Placed } from './task/loop.js';
import { missingOf, type FactLookup } from './facts/resolve-facts.js';

/**
 * Can the run do without this host? When each play that takes it goes on without a host that fails, or
 * can change nothing there. Judged from what is known without asking: what hangs on a fact counts as a change.
 */
export const isDispensable = (run: Run, host: string): boolean =>
  // A host that no play takes is asked about all the same: the conditions of these plays look at it.
  run.project.playbook.plays.some((play) => hostsNow(run, play).includes(host)) &&
  run.project.playbook.plays.every(
    (play) => goesOnWithout(run, play) || !hostsNow(run, play).includes(host) || !mayChange(run, play, host),
  );

const mayChange = (run: Run, play: Play, host: string): boolean =>
  play.steps.some((step) => isTagged(run, play, step) && touchesAny(run, step, { play, host }));

function touchesAny(run: Run, step: Step, position: Position): boolean {
  const module = run.modules.get(step.module);
  if (module === undefined || module.onlyLooks === true || step.dryRun === true) return module === undefined;
  let any = true;
  missingOf(run, (lookup) => {
    const elements = expand(run, step, position, lookup);
    any = 'reason' in elements || elements.some((element) => touchesOne(run, module, element, lookup));
  });
  return any;
}

function touchesOne(run: Run, module: AnyModule, { step, position }: Placed, lookup: FactLookup): boolean {
  const bound = bind(run, step, position, lookup);
  const args = bound.is === 'bound' || bound.is === 'unknown' ? bound.args : undefined;
  if (bound.is === 'skip') return false;
  const names = args === undefined ? [] : (module.alters?.(args) ?? []);
  return names.length > 0 || touchesOf(module, taskOf(step, position), args, 0).length > 0;
}

/** Does a play go on without a host that failed? One whose steps all report findings stops nothing, nor does a diagnosis. */
export const goesOnWithout = (run: Run, play: Play): boolean =>
  play.onHostFailure === 'continue' ||
  run.options.diagnosing === true ||
  play.steps.every((step) => step.remedy !== undefined);

/** Events name a host that the run does without. */
export const leftOutOf = (run: Run, host: string): { readonly leftOut?: true } =>
  isDispensable(run, host) ? { leftOut: true } : {};
