import { durationMs } from '../../lib/duration.js';

/** A written duration in milliseconds, or the module's own default where none is written (the schema refuses a wrong one). */
export const timeLimitMs = (written: string | undefined, otherwiseMs: number): number =>
  (written === undefined ? undefined : durationMs(written)) ?? otherwiseMs;
