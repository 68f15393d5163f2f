import { count } from '../../lib/count.js';
import type { Recorded } from '../../terms/event.js';
import { countsOf } from '../counts.js';
import { hostsText } from '../model-mark.js';
import { lostIn, lostTogether } from '../lost-hosts.js';
import { NOT_READ } from './plan-state-text.js';
import { releasesOf } from './plan-versions.js';
import { playsView } from './play-view.js';
import { nameHosts } from '../../lib/name-hosts.js';
import { indent, printable, printableLine, styleFor, type Terminal, type Style } from '../style.js';
import { linesOf, tally, type PlayTally, type Tally } from '../tally.js';

export interface PlanViewOptions extends Terminal {
  /** Whole diffs; else the first lines of each. */
  readonly diff: boolean;
  /** Also unchanged and skipped steps. */
  readonly verbose: boolean;
  /** The events are of a run that acted. */
  readonly past?: boolean;
  /** Only what differs from the plan, and the sums: the end of a run fits one screen. */
  readonly short?: boolean;
}

/** A plan for people and for the change ticket: what will change on which host, in the order of the run. */
export function planView(events: readonly Recorded[], options: PlanViewOptions): string {
  const t = tally(events);
  const style = styleFor(options);
  const past = options.past === true;
  const shown = options.short === true ? t.plays.flatMap(onlyDifferences) : t.plays;
  const plays = playsView(shown, { ...options, past }, style, options.width);
  return [
    heading(t, style),
    '',
    ...plays,
    ...((plays.at(-1) ?? '') === '' ? [] : ['']),
    ...footer(t, style, past),
  ].join('\n');
}

function onlyDifferences(play: PlayTally): readonly PlayTally[] {
  const lines = play.lines.filter(({ differs = [] }) => differs.length > 0);
  return lines.length === 0 ? [] : [{ ...play, lines }];
}

function heading(t: Tally, style: Style): string {
  const { started } = t;
  if (started === undefined) return style.bold('A run that did not start');
  return `${style.bold(printableLine(started.playbook))}   ${hostsText(started)}${versions(t)} · plan ${started.hash.slice(0, 8)}`;
}

/** ` · from 4.12.0 to 4.14.7`: every release found at the start on the way to the target. */
function versions(t: Tally): string {
  const found = releasesOf(t);
  const target = t.started?.target;
  return target === undefined || found.length === 0 ? '' : ` · from ${found.join(', ')} to ${target}`;
}

function footer(t: Tally, style: Style, past: boolean): readonly string[] {
  const n = countsOf(t);
  const sums: readonly (readonly [number, string])[] = [
    [n.unchanged, 'unchanged'],
    [n.undecided, 'known after apply'],
    [n.waiting, 'to wait for'],
    [n.asked, past ? 'asked' : 'to be asked'],
    [past ? n.skipped : 0, 'skipped'],
    [past ? n.failed : 0, 'failed'],
    [past ? n.notFinished : 0, 'not finished'],
    [n.warnings, `${n.warnings === 1 ? 'warning' : 'warnings'} (!)`],
  ];
  const changes = `${style.bold(String(n.changed))} ${past ? 'changed' : 'will change'}`;
  const others = sums.filter(([sum]) => sum > 0).map(([sum, what]) => `${sum} ${what}`);
  return [
    ` ${[changes, ...others].join('   ')}`,
    ...(t.temporary.length === 0 ? [] : [` ${temporaryText(t, past)}`]),
    ...lostTogether(lostIn(t.lost)).map(({ hosts, text, hint, leftOut }) => {
      const why = indent(printable([text, ...(hint === undefined ? [] : [hint])].join('\n')), 3).trimStart();
      return style.red(` ✗ ${nameHosts(hosts)}: ${leftOut ? 'left out, unreachable: ' : ''}${why}`);
    }),
    ...(past ? [] : refusal(t, n.failed).map((line) => style.red(` ${line}`))),
  ];
}

/** Why the plan cannot be applied. */
function refusal(t: Tally, failed: number): readonly string[] {
  const { ended } = t;
  if (ended?.defect === true) return ['Refused: the plan is not complete, see above. Nothing was changed.'];
  if (failed > 0) return [`Refused: ${count(failed, 'check')} failed. Nothing was changed.`];
  if (ended?.as !== 'unreachable' || ended.throughout === true) return [];
  if (linesOf(t).some(({ is }) => is === 'unread')) return [NOT_READ];
  return [
    'Refused: the plan is not complete, see above. Nothing was changed. Connect what did not answer, then plan again.',
  ];
}

function temporaryText({ temporary, inPlace }: Tally, past: boolean): string {
  const all = count(temporary.length, 'temporary change');
  if (!past) return `${all}, restored at the end`;
  return inPlace === 0 ? `${all}, all restored` : `${all}, ${inPlace} not restored yet`;
}
