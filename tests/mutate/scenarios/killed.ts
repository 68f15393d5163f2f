import { Crash } from '../../run/bench-hosts.js';
import type { Options } from '../stage.js';

/** The controller is killed as soon as this was done: nobody recorded that it was. */
export function killedAfter(like: RegExp): Options {
  let hit = false;
  return {
    before: (act) => {
      hit ||= like.test(act);
    },
    actor: (real) => ({
      job: (on, id) => real.job(on, id),
      async perform(on, action, context) {
        const outcome = await real.perform(on, action, context);
        if (hit) throw new Crash();
        return outcome;
      },
    }),
  };
}
