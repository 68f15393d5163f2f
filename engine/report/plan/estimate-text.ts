import { showDuration } from '../../lib/duration.js';
import type { Range } from '../../terms/step-time.js';

/** `about 3 min`, `2 min – 4 min`. */
export function estimateText({ minMs, maxMs }: Range): string {
  const [min, max] = [rounded(minMs), rounded(maxMs)];
  return min === max ? `about ${showDuration(max)}` : `${showDuration(min)} – ${showDuration(max)}`;
}

/** To ten seconds below two minutes, else to minutes: an estimate is not more exact. */
const rounded = (ms: number): number =>
  ms < 120_000 ? Math.max(10_000, Math.round(ms / 10_000) * 10_000) : Math.round(ms / 60_000) * 60_000;
