import type { Action, Outcome } from '../../terms/action.js';
import type { EffectContext, EffectId } from '../../terms/machine.js';
import { askShell, isOutput, outcomeOfScript, unreached } from './ask.js';
import type { Fragment } from './frame.js';
import { lookText, readJob, startText, unitOf } from './job.js';
import { commandAnswer } from './limits.js';
import { limitsOf, type ShPlace } from './place.js';

/** Looks of a tenth of a second each in one round trip: short enough that another question to the host need not wait long. */
const looks = 10;
const lookLimitMs = 60_000;

/**
 * Starts a job, or finds it started, and waits for its end. A time limit ends the waiting and not the job: half a package transaction is
 * worse than a late one.
 */
export async function performJob(
  place: ShPlace,
  action: Extract<Action, { do: 'job' }>,
  id: EffectId,
  lease?: EffectContext['lease'],
): Promise<Outcome> {
  const { command } = action;
  const [transport, become] = [await place.transport(), await place.host.become()];
  if (transport.is === 'failed') return unreached(transport);
  if (become.is === 'failed') return unreached(become);
  const user = become.value?.user ?? transport.value.user;
  if (command.become !== undefined && command.become !== user)
    return { is: 'refused', by: 'machine', found: `a job runs as ${user} on this host, not as ${command.become}` };
  const started = outcomeOfScript(
    await askShell(place, { sh: startText(id, command), withErrors: true, lease }, lookLimitMs),
  );
  if (started.is !== 'applied') return started;
  const untilMs = place.host.clock.nowMs() + command.timeoutMs;
  for (;;) {
    const printed = await askShell(place, lookFragment(place, id, looks), lookLimitMs);
    if (!isOutput(printed)) return printed;
    const state = readJob(printed.stdout);
    if (state?.is === 'ended') return state;
    if (state?.is !== 'running') return { is: 'unknown', why: 'crash', detail: `${unitOf(id)} ended without a result` };
    if (place.host.clock.nowMs() >= untilMs)
      return {
        is: 'unknown',
        why: 'timeout',
        detail: `still running as ${unitOf(id)} after ${command.timeoutMs / 1000} s; it was not ended`,
      };
  }
}

/** Looks at a job or a command `looks` times; of one that has ended, it prints the outputs. */
export function lookFragment({ host }: Pick<ShPlace, 'host'>, id: EffectId, looks: number): Fragment {
  const limits = limitsOf(host);
  return { sh: lookText(id, looks, limits.output), most: commandAnswer(limits) };
}
