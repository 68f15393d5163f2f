import type { Event } from '../../../engine/terms/event.js';
import { start, type Ran } from './runbook.js';

/** Where the controller is killed: at once when this event of this step comes, on this host when one is named. */
export interface Point {
  readonly e: Event['e'];
  readonly step: string;
  readonly host?: string;
}

/** Runs a verb until an event matches, and kills it there with SIGKILL; its questions are answered at a terminal, if there is an answer. */
export async function killedWhen(
  args: readonly string[],
  isIt: (event: Event) => boolean,
  answer?: string,
): Promise<Ran> {
  const running = start([...args, '--json'], {
    ...(answer === undefined ? {} : { answer }),
    onEvent: ({ event }) => {
      if (isIt(event)) running.kill();
    },
  });
  return running.done;
}

/** The same, at a point of a step. */
export const killedAt = (args: readonly string[], point: Point, answer?: string): Promise<Ran> =>
  killedWhen(args, (event) => isAt(event, point), answer);

const isAt = (event: Event, { e, step, host }: Point): boolean => {
  if (event.e !== e || !('task' in event)) return false;
  return (
    event.task.step.endsWith(`/${step}`) &&
    (host === undefined || ('host' in event.task.on && event.task.on.host === host))
  );
};
