import type { Recorded } from '../terms/event.js';
import { count, indent, printable, section, styleFor, type Paper, type Style } from './style.js';
import { tally, type Line, type PlayTally, type Tally } from './tally.js';

export interface PlanViewOptions extends Paper {
  /** Whole diffs; else the first lines of each. */
  readonly diff: boolean;
  /** Also what is already right and what is skipped. */
  readonly verbose: boolean;
  /** The events are of a run that acted. */
  readonly past?: boolean;
}

const DIFF_LINES = 12;

/** A plan for people and for the change ticket: what will change on which host, in the order of the run. */
export function planView(events: readonly Recorded[], options: PlanViewOptions): string {
  const t = tally(events);
  const style = styleFor(options);
  return [heading(t, style), ...t.plays.flatMap((play) => playView(play, options, style)), footer(t, style, options.past === true)].join('\n');
}

function heading(t: Tally, style: Style): string {
  const { started } = t;
  if (started === undefined) return '';
  const from = [...new Set([...t.from.values()].flatMap((v) => Object.entries(v)).flatMap(([c, v]) => (v === null || c === 'shipper' ? [] : [v.replace(/-[^-]*$/, '')])))].sort();
  const versions = started.target === undefined || from.length === 0 ? '' : ` · from ${from.join(', ')} to ${started.target}`;
  return `${style.bold(started.playbook)}   ${count(started.hosts, 'host')}${versions} · plan ${started.hash.slice(0, 8)}\n`;
}

function playView(play: PlayTally, options: PlanViewOptions, style: Style): string[] {
  const title = ` ${style.bold([...play.within, play.name].join(' / '))}  ${style.dim(section(play.spec))}`;
  if (play.skipped !== undefined) return [title, `   ${style.dim(`skipped: ${printable(play.skipped)}`)}`, ''];
  const shown = play.lines.filter((line) => options.verbose || !['ok', 'skipped'].includes(line.is));
  if (shown.length === 0) return [title, `   ${style.dim('nothing to do')}`, ''];
  const order = play.serial ? style.dim(`   one after the other: ${play.hosts.join(', ')}`) : undefined;
  const groups = groupHosts(inOrder(shown, play.hosts), options, style);
  return [title, ...(order === undefined ? [] : [order]), ...groups.flatMap(([hosts, text]) => [`   ${style.cyan(nameHosts(hosts))}`, indent(text, 5)]), ''];
}

/** Hosts in the play's order, not in that in which they answered. */
const inOrder = (lines: readonly Line[], hosts: readonly string[]): readonly Line[] =>
  hosts.length === 0 ? lines : hosts.concat('').flatMap((host) => lines.filter((l) => (host === '' ? !hosts.includes(l.host) : l.host === host)));

/** Hosts whose lines read the same are told together. */
function groupHosts(lines: readonly Line[], options: PlanViewOptions, style: Style): readonly (readonly [string[], string])[] {
  const texts = new Map<string, string[]>();
  for (const line of lines) texts.set(line.host, [...(texts.get(line.host) ?? []), lineView(line, options, style)]);
  const groups = new Map<string, string[]>();
  for (const [host, parts] of texts) {
    const text = parts.join('\n');
    groups.set(text, [...(groups.get(text) ?? []), host]);
  }
  return [...groups].map(([text, hosts]) => [hosts, text] as const);
}

const nameHosts = (hosts: readonly string[]): string => (hosts.length <= 6 ? hosts.join(', ') : `${hosts.slice(0, 5).join(', ')} and ${hosts.length - 5} more`);

function lineView(line: Line, options: PlanViewOptions, style: Style): string {
  const where = style.dim(section(line.spec));
  switch (line.is) {
    case 'change': {
      const { change } = line;
      const sign = change?.sign ?? '~';
      const head = `${style.yellow(sign)} ${printable(change?.summary ?? line.because)}  ${style.dim(line.name)} ${where}`;
      return change?.diff === undefined ? head : `${head}\n${indent(diffView(change.diff, options, style), 4)}`;
    }
    case 'undecided':
      return `${style.cyan('?')} ${line.name}: known only at apply, for it depends on ${printable(line.because)} ${where}`;
    case 'waiting':
      return `${style.dim('…')} ${line.name}: waits ${style.dim(`(now: ${printable(line.because)})`)} ${where}`;
    case 'ok':
      return style.dim(`= ${line.name}: ${printable(line.because)}`);
    case 'skipped':
      return style.dim(`- ${line.name}: skipped, ${printable(line.because)}`);
    case 'failed':
    case 'blocked':
    case 'unreachable':
      return `${style.red('✗')} ${line.name}: ${printable(line.because)} ${where}${line.hint === undefined ? '' : `\n    ${printable(line.hint)}`}`;
  }
}

export function diffView(diff: string, options: { readonly diff: boolean }, style: Style): string {
  const lines = diff.trimEnd().split('\n').filter((l) => !/^(={3,}|Index:)/.test(l));
  const shown = options.diff ? lines : lines.slice(0, DIFF_LINES);
  const rest = lines.length - shown.length;
  const painted = shown.map((l) => (l.startsWith('+') ? style.green(printable(l)) : l.startsWith('-') ? style.red(printable(l)) : printable(l)));
  return [...painted, ...(rest > 0 ? [style.dim(`… ${count(rest, 'more line')} (--diff)`)] : [])].join('\n');
}

function footer(t: Tally, style: Style, past: boolean): string {
  const lines = t.plays.flatMap((p) => p.lines);
  const of = (...is: Line['is'][]): readonly Line[] => lines.filter((l) => is.includes(l.is));
  const asks = of('change').filter((l) => l.change?.sign === '?').length;
  const never = of('change').filter((l) => l.change !== undefined && 'never' in l.change.undo);
  const refused = of('failed', 'blocked', 'unreachable');
  const parts = [
    ` ${style.bold(String(of('change').length - asks))} ${past ? 'changed' : 'will change'}   ${of('ok').length} already right   ${of('undecided').length} known only at apply   ${of('waiting').length} to wait for   ${asks} to be asked`,
    ...(t.owed.length > 0 ? [` ${count(t.owed.length, 'temporary change')}, ${past ? 'made' : 'each given back at the end'}`] : []),
    ...(never.length > 0 ? [` ${count(never.length, 'step')} cannot be undone`] : []),
    ...[...t.lost].map(([host, why]) => style.red(` ✗ ${host}: ${printable(why.reason)}${why.hint === undefined ? '' : ` (${printable(why.hint)})`}`)),
    ...(refused.length > 0 && !past ? [style.red(` Refused: ${count(refused.length, 'check')} failed. Nothing was changed.`)] : []),
  ];
  return parts.join('\n');
}
