import { basename } from 'node:path';
import { distinctPath } from '../../lib/distinct-path.js';
import { nameHosts } from '../../lib/name-hosts.js';
import { wrap, wrapParts } from '../columns.js';
import { hostsText } from '../model-mark.js';
import type { Audit } from '../../terms/event.js';
import { estimateText } from './estimate-text.js';
import type { PageLayout } from './page-layout.js';
import type { OutsideLimit, PlanSummary, Rehearsal } from './plan-summary.js';
import { isWhole } from './plan-state.js';
import { planStateText } from './plan-state-text.js';
import { printableLine, type Style } from '../style.js';
import { widthOf } from '../width.js';
import { downSpan, partsText, windowLines } from './window-lines.js';

/** What is planned and whether it can be applied; when, by whom and from what it was planned; how long it takes. */
export function planHeading(s: PlanSummary, { width, style, short }: PageLayout, begins: boolean): readonly string[] {
  const { started } = s;
  const down = downSpan(s);
  if (started === undefined) return [style.bold('A plan that did not start')];
  const to = started.target === undefined || s.from.length === 0 ? [] : [`${s.from.join(', ')} → ${started.target}`];
  const name = [printableLine(started.playbook), ...to, hostsText(started)].join(' · ');
  const origin = [
    originText(s, begins),
    ...(started.by === undefined ? [] : [`by ${printableLine(started.by)}`]),
    printableLine(basename(started.inventory)),
    ...(started.version === undefined ? [] : [`runbook ${started.version}`]),
    `plan ${started.hash.slice(0, 8)}`,
  ];
  return [
    ...titleLines(name, stateText(s, style), width, style),
    ...wrapParts(origin, width, ''),
    ...(started.waived === undefined ? [] : wrap(waiverLine(started).split(' '), width, '')),
    ...outsideLines(s, width),
    ...(isWhole(s.state)
      ? wrapParts(
          [
            `Estimate ${estimateText(s.takes)}${BASIS[s.measured].slice(0, short >= 3 ? 1 : 2).join(': ')}`,
            ...rehearsed(s),
          ],
          width,
          '',
        )
      : []),
    ...(isWhole(s.state) && down !== undefined ? wrap(partsText(down).split(' '), width, '         ') : []),
    ...(isWhole(s.state) ? windowLines(s, width) : []),
  ];
}

const waiverLine = ({ waived = [], reason }: Audit): string =>
  printableLine(`WAIVED ${waived.join(', ')}${reason === undefined ? '' : `: ${reason}`}`);

/** An operator who limits a run expects nothing to be done elsewhere. */
const outsideLines = ({ outsideLimit }: PlanSummary, width: number): readonly string[] => {
  const parts = outsideParts(outsideLimit);
  return parts.length === 0 ? [] : wrapParts(parts, width, 'Outside --limit:  ');
};

/** Which hosts a limited run reads or locks all the same, and why. */
export const outsideParts = ({ read, locked }: OutsideLimit = { read: [], locked: [] }): readonly string[] => [
  ...(read.length === 0 ? [] : [`read: ${nameHosts(read)} (for conditions over all hosts)`]),
  ...(locked.length === 0 ? [] : [`locked: ${nameHosts(locked)} (so that no other run works there)`]),
];

/** The state below the name where there is no room beside it. */
const titleLines = (name: string, state: string, width: number, style: Style): readonly string[] => {
  const isOne = widthOf(`${name}   ${state}`) <= width;
  return isOne ? [`${style.bold(name)}   ${state}`] : [style.bold(name), state];
};

function originText({ rest, atMs }: PlanSummary, begins: boolean): string {
  const what = rest === undefined ? '' : ` of the rest of the run ${rest.run}`;
  const so = !begins ? 'nothing was changed' : rest === undefined ? 'not started yet' : 'not continued yet';
  return `${begins ? 'PLAN' : 'DRY RUN'}${what} at ${dateText(atMs)}, ${so}`;
}

const rehearsed = ({ rehearsal, started }: PlanSummary): readonly string[] =>
  rehearsal === undefined ? [] : [rehearsalText(rehearsal, started?.inventory ?? '')];

/** On which other inventory it succeeded before, as far as this user's runs say. */
export const rehearsalText = (rehearsal: Rehearsal | null, own: string): string =>
  rehearsal === null
    ? 'not rehearsed'
    : `REHEARSED on ${printableLine(distinctPath(rehearsal.inventory, own))}${rehearsal.from.length === 0 ? '' : ` from ${rehearsal.from.join(', ')}`} ${dateText(rehearsal.atMs)} (same playbook and program)`;

/** Whence the estimate is known, and why not better. */
const BASIS = {
  all: [', measured by earlier runs of this inventory'],
  some: [', partly from defaults', 'earlier runs of this inventory did not measure every step'],
  none: [', from defaults', 'no earlier run of this inventory has measured a step'],
} as const;

const COLORS = { good: 'green', warn: 'yellow', bad: 'red' } as const;

function stateText({ state }: PlanSummary, style: Style): string {
  const [text, tone] = planStateText(state);
  return style[COLORS[tone]](text);
}

/** `2026-11-24 02:20 CET`: on the clock of the machine that planned. */
export function dateText(ms: number): string {
  const parts = new Intl.DateTimeFormat('en-GB', {
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' },
    ...{ hourCycle: 'h23', timeZoneName: 'short' },
  }).formatToParts(ms);
  const of = (type: Intl.DateTimeFormatPartTypes): string => parts.find((p) => p.type === type)?.value ?? '';
  return `${of('year')}-${of('month')}-${of('day')} ${of('hour')}:${of('minute')} ${of('timeZoneName')}`;
}
