import type { Clock } from '../../terms/machine.js';
import type { Reached } from '../machine.js';
import { SEND_LIMITS, type SendLimits } from './limits.js';
import type { Become } from './login.js';
import type { ShSession } from './session.js';
import type { Transport } from '../transport.js';

/** What the shell of one host is reached by. */
export interface ShHost {
  readonly clock: Clock;
  /** Absent: SEND_LIMITS. */
  readonly limits?: SendLimits;
  /** Connects. Called again after a loss. */
  connect(): Promise<Reached<Transport>>;
  /** The user that work is done as where nothing else is said, with what sudo needs; undefined: the one that logs in. */
  become(user?: string): Promise<Reached<Become | undefined>>;
}

/** Where an action on a POSIX host is performed: its connection and its shells, made when first needed and again after a loss. */
export interface ShPlace {
  readonly host: ShHost;
  transport(): Promise<Reached<Transport>>;
  /** The persistent shell of a user; absent: the inventory's default. */
  session(user?: string): Promise<Reached<ShSession>>;
}

export const limitsOf = ({ limits = SEND_LIMITS }: ShHost): SendLimits => limits;
