import type { ServiceState } from '../../facts/service.js';
import type { Done } from '../../terms/fact.js';
import type { SystemctlArgs } from './schema.js';

/** What has to be ordered of systemd for a unit to be as wanted. */
export interface Due {
  readonly reload: boolean;
  readonly enable?: boolean;
  readonly act?: 'start' | 'restart' | 'stop';
  /** Why a running unit is restarted. */
  readonly because?: string;
}

/** The mark of an intent: the unit as it was. */
export const BEFORE = 'before';

/** Was it restarted by this step already? `done` is what is recorded of the step. */
export function isRestarted(now: ServiceState, done: Done): boolean {
  if (done.is !== 'unknown') return done.is === 'done';
  const before = done.marks[BEFORE] as unknown as ServiceState | undefined;
  return now.startedAtMs !== null && before !== undefined && now.startedAtMs > (before.startedAtMs ?? 0);
}

export const isUp = ({ active }: ServiceState): boolean => active === 'active' || active === 'reloading';

const isEnabled = ({ enabled }: ServiceState): boolean =>
  enabled === 'enabled' || enabled === 'enabled-runtime' || enabled === 'alias';

/** What is asked only of a unit that is up: whether what it must have started after changed since, and whether it is ready. */
export interface Further {
  changedSince(ms: number): boolean;
  isReady(): boolean;
}

/** Compares a unit with what is wanted of it. */
export function whatIsDue(args: SystemctlArgs, now: ServiceState, further: Further): Due {
  const enable = args.enabled === undefined || args.enabled === isEnabled(now) ? {} : { enable: args.enabled };
  // Enabling what cannot be enabled was refused before; disabling it has nothing to do.
  const unable = args.enabled === false && !isEnabled(now);
  const act = actionFor(args, now, further);
  // What is to be stopped needs no new unit file.
  const reload = now.needsReload && args.state !== 'stopped';
  return { reload, ...(unable ? {} : enable), ...act };
}

function actionFor({ state }: SystemctlArgs, now: ServiceState, further: Further): Pick<Due, 'act' | 'because'> {
  // On its way there already: waited for, not ordered twice.
  if (state === 'stopped') return isUp(now) || now.active === 'activating' ? { act: 'stop' } : {};
  if (state === 'restarted') return { act: isUp(now) || now.active === 'activating' ? 'restart' : 'start' };
  if (!isUp(now)) return state === 'started' && now.active !== 'activating' ? { act: 'start' } : {};
  if (now.startedAtMs !== null && further.changedSince(now.startedAtMs))
    return { act: 'restart', because: 'what it reads changed since it started' };
  // A forking unit that remains after exit is active although all its daemons are dead.
  if (state === 'started' && now.processes === 0 && !further.isReady())
    return { act: 'restart', because: 'active, but no process is left' };
  return {};
}

export const processes = (n: number): string => (n === 1 ? '1 process' : `${n} processes`);
