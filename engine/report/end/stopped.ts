import type { Action } from '../../terms/action.js';
import type { ComponentNow } from '../../terms/state-now.js';

const UP: readonly (string | undefined)[] = ['active', 'reloading'];

export const isInstalled = ({ installed }: ComponentNow): boolean => installed !== null;
export const isDown = (now: ComponentNow): boolean => isInstalled(now) && !UP.includes(now.active);

/** True where these actions stop this unit. */
export const stops = (actions: readonly Action[], unit: string): boolean =>
  actions.some(
    (a) => (a.do === 'run' || a.do === 'job') && a.command.argv[1] === 'stop' && a.command.argv.includes(unit),
  );
