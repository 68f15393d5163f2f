import { Crash } from '../../run/bench-hosts.js';
import { done, equal } from '../look.js';
import type { Options, Platform, Told } from '../stage.js';

/** The controller is killed as soon as this was done, before that is recorded. */
export function killedAfter(like: RegExp): Options {
  let hit = false;
  return {
    before: (act) => {
      hit ||= like.test(act);
    },
    actor: (real) => ({
      ...real,
      async perform(on, action, context) {
        const outcome = await real.perform(on, action, context);
        if (hit) throw new Crash();
        return outcome;
      },
    }),
  };
}

/** A run that is asked to stop at this act: it finishes the step and ends. */
export async function stoppedAt(
  p: Platform,
  playbook: string,
  like: RegExp,
  more: Omit<Options, 'before' | 'stopping'> = {},
): Promise<Told> {
  let hit = false;
  const before = (act: string): void => {
    hit ||= like.test(act);
  };
  const ran = await p.run(playbook, { ...more, stopping: () => hit, before });
  equal(ran.end, 'interrupted', ran.why);
  return ran;
}

/** Kills the controller after each of these acts in turn, resumes it every time, and lets the last resume come to its end. */
export async function killedAtEach(p: Platform, playbook: string, likes: readonly RegExp[]): Promise<void> {
  let resume: Pick<Options, 'verb' | 'past'> = {};
  const run = (more: Options = {}): Promise<Told> => p.run(playbook, { ...more, ...resume });
  for (const like of likes) {
    const ran = await run(killedAfter(like));
    equal(ran.end, 'interrupted', `${String(like)}: ${ran.why}`);
    resume = { verb: 'resume', past: ran.recorded };
  }
  done(await run());
}
