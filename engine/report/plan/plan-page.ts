import { foldAll } from '../../journal/fold.js';
import { count } from '../../lib/count.js';
import { defined } from '../../lib/defined.js';
import { firstOf, MIN_WIDTH, wrap, wrapParts } from '../columns.js';
import { estimateText } from './estimate-text.js';
import { backOutLines, downtimeLines, words } from './impact-lines.js';
import { dataLossOf } from './data-loss.js';
import { notRestored } from '../end/not-restored.js';
import { nowRows } from '../end/now-lines.js';
import { layOut } from '../end/screen-rows.js';
import { cutWhereShort, SHORTENINGS, type PageLayout } from './page-layout.js';
import { isBusy, safeStopParts } from './phase-text.js';
import { planHeading } from './plan-heading.js';
import { isWhole } from './plan-state.js';
import { refusalText } from './plan-state-text.js';
import type { OpenDecision, Phase, PlanSummary } from './plan-summary.js';
import type { ItemUpgrade, Version } from './plan-versions.js';
import { printableLine, styleFor, type Terminal, type Style } from '../style.js';
import type { TextOnHosts } from '../text-on-hosts.js';
import { LABEL, lostLines, numberedLines } from '../numbered-lines.js';

/** The page fits a screen and a sheet of terminal, whatever the number of hosts. */
const PAGE_LINES = 45;
/** An empty line, and what to type. */
const BELOW = 2;
/** Of the names of temporary changes. */
const TEMPORARY_LINES = 3;
/** Of a long list of items that are left as they are. */
const ITEM_LINES = 4;
const WIDTH = 120;

interface PageOptions {
  /** A run may follow. */
  readonly begins?: boolean;
  /** Every decision, failure and warning, whatever its length. */
  readonly whole?: boolean;
}

/** The first page of a plan: what a change board decides from. The rest is the detail (plan-view.ts). */
export function planPage(
  s: PlanSummary,
  terminal: Terminal,
  { begins = false, whole = false }: PageOptions = {},
): string {
  const style = styleFor(terminal);
  const width = Math.max(MIN_WIDTH, Math.min(terminal.width, WIDTH));
  let lines: readonly string[] = [];
  for (const short of whole ? ([0] as const) : SHORTENINGS) {
    lines = pageLines(s, { width, style, short }, { begins, whole });
    if (lines.length <= PAGE_LINES - BELOW) break;
  }
  return lines.join('\n');
}

function pageLines(s: PlanSummary, layout: PageLayout, { begins, whole }: Required<PageOptions>): readonly string[] {
  const { width, style, short } = layout;
  const upTo = (lines: number, ofOne?: number) => ({
    ...{ width, style, lines: whole ? Number.POSITIVE_INFINITY : lines },
    ...defined({ ofOne: whole ? Number.POSITIVE_INFINITY : ofOne }),
  });
  const above = [
    ...planHeading(s, layout, begins),
    ...unfinishedLines(s, layout),
    ...(isWhole(s.state) ? impactLines(s, layout) : []),
    ...numberedLines(
      'DECIDE',
      s.decisions.map((one) => decisionText(one, s)),
      upTo(12, 8),
    ),
    ...numberedLines('FAILED', s.failures, upTo(12)),
    ...numberedLines('NOT READ', s.unread, upTo(8)),
    ...lostLines(s.lost, upTo(6)),
  ];
  const below = ['', ...totals(s, layout), ...refusal(s, width, style)];
  const left = Math.max(2, PAGE_LINES - above.length - below.length - BELOW);
  return [...above, ...numberedLines('WARNINGS', s.warnings, upTo(left, short >= 3 ? 2 : undefined)), ...below];
}

/** With when it is decided, and what to do. */
const decisionText = (one: OpenDecision, { rest }: PlanSummary): TextOnHosts => ({
  ...one,
  hint:
    one.when === 'asked'
      ? `the run asks in phase ${printableLine(one.phase)}`
      : `before ${rest === undefined ? 'apply' : 'resume'}: ${one.hint ?? ''}`,
});

/** Of an unfinished run: what runs and what is down now, and what it has not restored yet. */
function unfinishedLines({ unfinished }: PlanSummary, layout: PageLayout): readonly string[] {
  if (unfinished === undefined) return [];
  const { past, now } = unfinished;
  const made = notRestored([...foldAll(past.map(({ event }) => event)).temporaryChanges.values()]);
  return [
    '',
    ...(now === undefined ? [] : layOut(nowRows(now, past), layout.width)),
    ...(made.length === 0 ? [] : cutWhereShort(wrapParts(made, layout.width, 'Temporary changes in effect: '), layout)),
  ];
}

/** What the run means to the users of the platform, and how to go back. */
const impactLines = (s: PlanSummary, layout: PageLayout): readonly string[] => {
  const { width, style, short } = layout;
  return [
    '',
    ...(s.downtime === undefined ? [] : downtimeLines(s.downtime, s.unfinished?.past ?? [], layout)),
    ...backOutLines(s, layout),
    ...labelled('DATA LOSS', dataLossOf(s), width, style),
    ...labelled('VERSIONS', s.versions.map(versionText), width, style),
    ...s.itemUpgrades.flatMap((one) => itemLines(one, width)).slice(0, ITEM_LINES),
    ...labelled('PHASES', s.phases.filter(isBusy).map(phaseText), width, style),
    ...(short >= 3 ? [] : safePointLines(s, width, style)),
  ];
};

const itemLines = ({ title, text }: ItemUpgrade, width: number): readonly string[] =>
  wrap(words(text), width, `${printableLine(title).toUpperCase()} `.padEnd(LABEL));

/** Where a run stops that is to stop. */
const safePointLines = ({ safePoints }: PlanSummary, width: number, style: Style): readonly string[] =>
  labelled('SAFE STOP', safeStopParts(safePoints), width, style);

const versionText = ({ package: name, from, to, hosts }: Version): string =>
  `${name} ${from ?? 'none'} → ${to} on ${hosts.length}`;

/** The first one says of what the numbers are. */
const phaseText = ({ name, changes, takes }: Phase, i: number): string =>
  `${printableLine(name)} ${i === 0 ? count(changes, 'step') : changes}${takes.maxMs === 0 ? '' : ` (${estimateText(takes).replace('about ', '')})`}`;

function labelled(label: string, parts: readonly string[], width: number, style: Style): readonly string[] {
  const [first = '', ...others] = wrapParts(parts, width, label.padEnd(LABEL));
  return parts.length === 0 ? [] : [style.bold(label) + first.slice(label.length), ...others];
}

function totals(
  { counts: n, temporary, temporaryNames }: PlanSummary,
  { width, style, short }: PageLayout,
): readonly string[] {
  const sums = [
    [n.undecided, 'known after apply'],
    [n.waiting, 'to wait for'],
    [n.unchanged, 'unchanged'],
    [n.failed, 'failed'],
  ] as const;
  const parts = [
    `${n.changed} will change`,
    ...sums.flatMap(([sum, what]) => (sum === 0 ? [] : [`${sum} ${what}`])),
    'all of them: --detail',
  ];
  const counted = `${count(temporary, 'temporary change')}, counted above, restored by the end of the run, or by close: `;
  const names = temporaryNames.map((name, i) => `${i === 0 ? counted : ''}${printableLine(name)}`);
  return [
    ...labelled('STEPS', parts, width, style),
    ...(temporary === 0 ? [] : cutAfter(short >= 1 ? 1 : TEMPORARY_LINES, wrapParts(names, width, ''), width)),
  ];
}

/** The last line says that there are more. */
const cutAfter = (most: number, lines: readonly string[], width: number): readonly string[] =>
  lines.length <= most ? lines : [...lines.slice(0, most - 1), ...firstOf(lines.slice(most - 1), width)];

/** Why the plan cannot be applied, or what continuing a run does all the same. */
function refusal({ state, rest }: PlanSummary, width: number, style: Style): readonly string[] {
  const text = refusalText(state, rest !== undefined);
  return text === undefined ? [] : wrap([...words(text)], width, '').map(style.red);
}
