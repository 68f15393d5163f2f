import { differenceLines } from './difference.js';
import { indent, nameHosts, printable, printableLine, printableList, section, type Style } from './style.js';
import { AT_END, type Line, type PlayTally } from './tally.js';

/** How much of each play is shown. */
export interface PlayViewOptions {
  /** Whole diffs; else the first lines of each. */
  readonly diff: boolean;
  /** Also unchanged and skipped steps. */
  readonly verbose: boolean;
  /** The events are of a run that acted: what it did has been done, its diffs are shown on request only. */
  readonly past: boolean;
}

const DIFF_LINES = 12;

/** One play: its hosts in the order taken, with a line for each task. A play with nothing to tell is one line. */
export function playView(play: PlayTally, options: PlayViewOptions, style: Style): readonly string[] {
  const title = ` ${style.bold([...play.within, play.name].join(' / '))}  ${style.dim(section(play.spec))}`.trimEnd();
  if (play.skipped !== undefined) return [`${title}   ${style.dim(`skipped: ${printableLine(play.skipped)}`)}`];
  const shown = play.lines.filter((line) => options.verbose || isTold(line));
  if (shown.length === 0 && play.path === AT_END) return [];
  if (shown.length === 0) return [`${title}   ${style.dim('nothing to do')}`];
  const order = play.serial && play.hosts.length > 1 ? `   one host at a time: ${nameHosts(play.hosts)}` : undefined;
  const groups = groupHosts(inOrder(shown, play.hosts), options, style);
  const final = play.pointOfNoReturn;
  return [
    title,
    ...(final === undefined ? [] : [style.yellow(`   Point of no return: ${printableLine(final)}`)]),
    ...(order === undefined ? [] : [style.dim(order)]),
    ...(play.safePoint === true ? [style.dim('   safe point: after each host')] : []),
    ...groups.flatMap(([hosts, text]) => [`   ${style.cyan(nameHosts(hosts))}`, indent(text, 5)]),
    '',
  ];
}

/** What is right, or left out, needs no line unless there is something to say of it. */
const isTold = ({ is, warnings }: Line): boolean => warnings !== undefined || (is !== 'ok' && is !== 'skipped');

/** Hosts in the play's order, not in that in which they answered; others (a step may act elsewhere) after them. */
function inOrder(lines: readonly Line[], hosts: readonly string[]): readonly Line[] {
  const rank = new Map(hosts.map((host, index) => [host, index]));
  const rankOf = (line: Line): number => rank.get(line.host) ?? hosts.length;
  return lines.toSorted((a, b) => rankOf(a) - rankOf(b));
}

/** Hosts with the same lines share them. */
function groupHosts(
  lines: readonly Line[],
  options: PlayViewOptions,
  style: Style,
): readonly (readonly [readonly string[], string])[] {
  const texts = new Map<string, string[]>();
  for (const line of lines) {
    const parts = texts.get(line.host) ?? [];
    const warnings = (line.warnings ?? []).map((text) => `    ${style.yellow(`! ${printableList(text, 8)}`)}`);
    parts.push([lineView(line, options, style), ...warnings].join('\n'));
    texts.set(line.host, parts);
  }
  const groups = new Map<string, string[]>();
  for (const [host, parts] of texts) {
    const text = parts.join('\n');
    const hosts = groups.get(text) ?? [];
    hosts.push(host);
    groups.set(text, hosts);
  }
  return [...groups].map(([text, hosts]) => [hosts, text] as const);
}

function lineView(line: Line, options: PlayViewOptions, style: Style): string {
  const where = style.dim(section(line.spec));
  const because = printableLine(line.because);
  const name = printableLine(line.name);
  switch (line.is) {
    case 'change':
      return changeView(line, options, style);
    case 'begun':
      return `${style.yellow('…')} ${name}: not finished ${style.dim(`(${because})`)}  ${where}`.trimEnd();
    case 'undecided':
      return `${style.cyan('?')} ${name}: known after apply: ${because}  ${where}`.trimEnd();
    case 'waiting':
      return `${style.dim('…')} ${name} ${style.dim(`(now: ${because})`)}  ${where}`.trimEnd();
    case 'ok':
      return style.dim(`= ${name}: ${because}`);
    case 'skipped':
      return style.dim(`- ${name}: skipped, ${because}`);
    case 'failed':
    case 'blocked':
    case 'unreachable':
      return [
        `${style.red('✗')} ${name}: ${because}  ${where}`.trimEnd(),
        ...(line.hint === undefined ? [] : [`    ${printable(line.hint)}`]),
      ].join('\n');
  }
}

function changeView(line: Line, options: PlayViewOptions, style: Style): string {
  const { change } = line;
  const summary = printableLine(change?.summary ?? line.because);
  const tail = style.dim([printableLine(line.name), section(line.spec)].join(' ').trimEnd());
  const diff =
    change?.diff === undefined || (options.past && !options.diff) ? [] : diffLines(change.diff, options, style);
  const later =
    change?.diffUnknown === undefined || options.past
      ? []
      : [style.dim(`diff known after apply: ${printableLine(change.diffUnknown)}`)];
  const differs = (line.differs ?? []).flatMap((d) => differenceLines(d, options.diff)).map(style.yellow);
  return [
    `${style.yellow(change?.sign ?? '~')} ${summary}  ${tail}`,
    ...[...diff, ...later].map((l) => `    ${l}`),
    ...differs.map((l) => `    ${l}`),
  ].join('\n');
}

/** A unified diff in colours; without `diff` its first lines. */
export function diffLines(diff: string, options: { readonly diff: boolean }, style: Style): readonly string[] {
  const lines = diff
    .trimEnd()
    .split('\n')
    .filter((l) => !/^(={3,}|Index:)/.test(l));
  const shown = options.diff ? lines : lines.slice(0, DIFF_LINES);
  const rest = lines.length - shown.length;
  const painted = shown.map((l) =>
    l.startsWith('+') ? style.green(printable(l)) : l.startsWith('-') ? style.red(printable(l)) : printable(l),
  );
  return rest > 0 ? [...painted, style.dim(`… ${rest} more lines (--diff)`)] : painted;
}
