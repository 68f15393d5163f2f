import { count } from '../../lib/count.js';
import { hintText, warningText } from '../../terms/hint.js';
import { differenceLines } from './difference.js';
import { wrapParts } from '../columns.js';
import { outcomesOf } from '../step-order.js';
import { nameHosts } from '../../lib/name-hosts.js';
import { indent, printable, printableLine, printableList, section, type Style } from '../style.js';
import { AT_END, type Line, type PlayTally } from '../tally.js';

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

/** The plays in their order: their hosts, with each outcome once. Plays with nothing to do that follow each other share a line. */
export function playsView(
  plays: readonly PlayTally[],
  options: PlayViewOptions,
  style: Style,
  width: number,
): readonly string[] {
  const lines: string[] = [];
  let idle: PlayTally[] = [];
  const close = (): void => {
    lines.push(...idleLines(idle, style, width));
    idle = [];
  };
  for (const play of plays) {
    const shown = play.lines.filter((line) => options.verbose || isTold(line));
    if (shown.length === 0 && play.path === AT_END) continue;
    if (shown.length === 0 && play.skipped === undefined) {
      if (idle[0]?.within[0] !== play.within[0]) close();
      idle.push(play);
      continue;
    }
    close();
    lines.push(...playView(play, shown, options, style));
  }
  close();
  return lines;
}

function idleLines(plays: readonly PlayTally[], style: Style, width: number): readonly string[] {
  const [first] = plays;
  if (first === undefined) return [];
  const [phase] = first.within;
  const names = plays.map(({ within, name }) => [...within.slice(1), name].join(' / '));
  const label = phase === undefined ? ' ' : ` ${style.bold(phase)}  `;
  return wrapParts([...names.slice(0, -1), `${names.at(-1) ?? ''}: nothing to do`], Math.max(40, width), label);
}

function playView(play: PlayTally, shown: readonly Line[], options: PlayViewOptions, style: Style): readonly string[] {
  const title = ` ${style.bold([...play.within, play.name].join(' / '))}  ${style.dim(section(play.spec))}`.trimEnd();
  if (play.skipped !== undefined) return [`${title}   ${style.dim(`skipped: ${printableLine(play.skipped)}`)}`];
  // A play that does nothing else is shown as it is.
  const folds = !options.diff && !options.verbose && !shown.every(isBookkeeping);
  const own = folds ? shown.filter((line) => !isBookkeeping(line)) : shown;
  const folded = shown.filter((line) => !own.includes(line));
  const order = play.serial && play.hosts.length > 1 ? `   one host at a time: ${nameHosts(play.hosts)}` : undefined;
  const outcomes = outcomesOf(own, play.hosts, (line) => linesOf(line, options, style));
  const final = play.pointOfNoReturn;
  return [
    title,
    ...(final === undefined ? [] : [style.yellow(`   Point of no return: ${printableLine(final)}`)]),
    ...(order === undefined ? [] : [style.dim(order)]),
    ...(play.safePoint === true ? [style.dim('   safe point: after each host')] : []),
    ...outcomes.flatMap(({ hosts, texts }) => [`   ${style.cyan(nameHosts(hosts))}`, indent(texts.join('\n'), 5)]),
    ...bookkeepingLine(folded).map(style.dim),
    '',
  ];
}

const bookkeepingLine = (folded: readonly Line[]): readonly string[] =>
  folded.length === 0
    ? []
    : [`   bookkeeping: ${count(new Set(folded.map(({ step }) => step)).size, 'step')} (--diff shows them)`];

/** What is right, or left out, needs no line unless there is something to say of it. */
const isTold = ({ is, warnings }: Line): boolean => warnings !== undefined || (is !== 'ok' && is !== 'skipped');

/** One line, with what is to be said of it. */
function linesOf(line: Line, options: PlayViewOptions, style: Style): string {
  const warnings = (line.warnings ?? []).map((one) => `    ${style.yellow(`! ${printableList(warningText(one), 8)}`)}`);
  return [lineView(line, options, style), ...warnings].join('\n');
}

/** Records of pending tasks, a repository enabled for a download: none of it changes the platform. Diffs are shown with it. */
const isBookkeeping = ({ is, change, warnings, differs }: Line): boolean =>
  is === 'change' && change?.bookkeeping === true && warnings === undefined && differs === undefined;

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
    case 'unread':
      return `${style.red('✗')} ${name}: cannot be read: ${because}  ${where}`.trimEnd();
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
        ...(line.hint === undefined ? [] : [`    ${printable(hintText(line.hint))}`]),
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
