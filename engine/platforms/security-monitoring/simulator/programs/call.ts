import type * as general from '../../../../simulator/rules.js';
import type { HostState, PlatformState } from '../state.js';

export { done, fails } from '../../../../simulator/programs/call.js';
export type { Ended } from '../../../../simulator/rules.js';

/** A program of the platform's is called with the platform's own state. */
export type Call = general.Call<PlatformState, HostState>;
export type Program = (call: Call) => general.Ended;
