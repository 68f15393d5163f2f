import type { PausedAt, Stop } from '../../terms/event.js';
import { printableLine } from '../style.js';
import { clockText, needText } from '../plan/window-lines.js';
import type { Ways } from './next-commands.js';

/** `Paused before "Upgrade / Server"`, `Paused after db-2`: where a run asks whether it goes on. */
export const pausedText = (at: PausedAt): string =>
  'before' in at ? `Paused before "${printableLine(at.before)}"` : `Paused after ${printableLine(at.after)}`;

/** `The maintenance window closed at 02:00 CET.` */
export const stopHeadline = ({ closesMs, zone }: Extract<Stop, { by: 'window' }>): string =>
  `The maintenance window closed at ${clockText(closesMs, zone)}.`;

/** Why a maintenance window stopped a run, and how it goes on; of another stop its line says all. */
export function stopLines(stop: Stop | undefined, acted: boolean, { where }: Ways): readonly string[] {
  if (stop === undefined || stop.by === 'operator' || stop.by === 'pause') return [];
  const next = acted
    ? [`In the next window: runbook resume${where}; now: runbook resume${where} --outside-window`]
    : [];
  const closes = `the maintenance window closes at ${clockText(stop.closesMs, stop.zone)}`;
  if (stop.by === 'window') return [stopHeadline(stop), ...next];
  return [
    `"${printableLine(stop.play)}" is a point of no return: ${printableLine(stop.pointOfNoReturn)}.`,
    `From there ${needText(stop.takesMs, stop.rollbackMs)}, and ${closes}.`,
    ...next,
  ];
}
