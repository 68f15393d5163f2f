import { scaleUtc } from 'd3-scale';
import { showDuration } from '../../lib/duration.js';
import type { TimelineOf } from './document.js';

const TICKS = 7;

/** How far the axis goes, and where it has ticks: round numbers of seconds, minutes or hours. */
export function axisOf(
  { estimateMs = 0, measuredMs = 0, rows }: TimelineOf,
  wanted = TICKS,
): { readonly totalMs: number; readonly ticks: readonly number[] } {
  const ends = rows.flatMap(({ estimate, measured }) => [...estimate, ...measured].map(({ toMs }) => toMs));
  const totalMs = Math.max(1000, estimateMs, measuredMs, ...ends);
  const ticks = scaleUtc([0, totalMs], [0, 1]).ticks(wanted).map(Number);
  return { totalMs, ticks };
}

export const labelOf = (ms: number): string => (ms === 0 ? '0' : showDuration(ms));
