import { showDuration } from '../../lib/duration.js';
import type { Outcome } from '../../terms/action.js';
import type { Event, Recorded } from '../../terms/event.js';
import { diffLines } from '../plan/play-view.js';
import { printable, printableLine, printableList, section, styleFor, type Terminal, type Style } from '../style.js';
import { hostName } from '../../terms/subject.js';
import { warnedText } from '../warnings.js';

export interface ProgressOptions {
  /** 1: also unchanged steps and restored changes; 2: also skipped steps and every wait; 3: also each result. */
  readonly verbosity: number;
  /** The diff of each change as it is made. */
  readonly diff: boolean;
}

/** What an event says to people, or undefined where there is nothing to say. The same for a terminal, a pipe and the log file. */
export function progressLine({ event }: Recorded, terminal: Terminal, options: ProgressOptions): string | undefined {
  const style = styleFor(terminal);
  const { verbosity } = options;
  switch (event.e) {
    case 'play-started':
      return `${style.bold(heading(event))}  ${style.dim(section(event.spec))}`.trimEnd();
    case 'play-skipped':
      return style.dim(`${heading(event)}: skipped, ${printableLine(event.because)}`);
    case 'intent':
      return intentLines(event, options, style);
    case 'settled':
      return settledLine(event, style, verbosity);
    case 'task-skipped':
      return verbosity > 1 ? style.dim(`  - ${who(event)}: skipped, ${printableLine(event.because)}`) : undefined;
    case 'warned': {
      const host = event.task === undefined ? '' : `${hostName(event.task.on)}  `;
      return style.yellow(`  ! ${host}${printableList(warnedText(event), 6)} ${section(event.spec)}`.trimEnd());
    }
    case 'found':
      return style.yellow(
        `  ! ${hostName(event.task.on)}  ${printableLine(event.text)} → ${printableLine(event.remedy)} ${section(event.spec)}`.trimEnd(),
      );
    case 'waiting':
      return style.dim(`  … ${waitingHost(event)}  ${waitingText(event)}`);
    case 'host-lost':
      return event.leftOut === true
        ? style.yellow(`  ! ${event.host}  left out, unreachable: ${printableLine(event.reason)}`)
        : style.red(`  ✗ ${event.host}  unreachable: ${printableLine(event.reason)}`);
    case 'temporary-restored':
      return verbosity > 0 ? style.dim(`    restored (${RESTORED[event.by]}): ${restoredName(event)}`) : undefined;
    case 'effect':
      return effectLine(event, style, verbosity);
    case 'answered':
    case 'block':
    case 'checked':
    case 'close-started':
    case 'from':
    case 'host-chosen':
    case 'host-left':
    case 'item':
    case 'items':
    case 'journal-older':
    case 'loop-started':
    case 'observed':
    case 'paused':
    case 'play-ended':
    case 'run-ended':
    case 'run-started':
    case 'taken-over':
    case 'temporary-made':
    case 'temporary-restoring':
    case 'temporary-reverted':
    case 'undecided':
      return undefined;
  }
}

type Of<E extends Event['e']> = Extract<Event, { readonly e: E }>;

const heading = (e: { readonly within: readonly string[]; readonly name: string }): string =>
  printableLine([...e.within, e.name].join(' / '));
const who = (e: Of<'settled'> | Of<'task-skipped'> | Of<'intent'>): string =>
  `${hostName(e.task.on)}  ${printableLine(e.name)}`;

/** Whom an event of waiting is about. */
export const waitingHost = (e: Of<'waiting'>): string => (e.task === undefined ? (e.host ?? '') : hostName(e.task.on));

/** `waiting: db-2 not yet in the node list, 12 s of 60 s` */
export const waitingText = (e: Of<'waiting'>): string =>
  `waiting: ${printableLine(e.for)}, ${Math.round(e.forMs / 1000)} s of ${Math.round(e.limitMs / 1000)} s`;

const RESTORED: Readonly<Record<Of<'temporary-restored'>['by'], string>> = {
  step: 'by a step',
  end: 'at the end',
  close: 'by close',
};
const restoredName = (e: Of<'temporary-restored'>): string =>
  `${hostName(e.task.on)}  ${printableLine(e.task.step.split('/').at(-1) ?? '')}`;

function intentLines(event: Of<'intent'>, { diff }: ProgressOptions, style: Style): string {
  const line = `  ${style.yellow(event.change.sign)} ${who(event)}: ${printableLine(event.change.summary)}`;
  if (!diff || event.change.diff === undefined) return line;
  return [line, ...diffLines(event.change.diff, { diff }, style).map((l) => `      ${l}`)].join('\n');
}

function settledLine(event: Of<'settled'>, style: Style, verbosity: number): string | undefined {
  const reason = printableLine(event.reason ?? event.as);
  if (event.as === 'ok') return verbosity > 0 ? style.dim(`  = ${who(event)}: ${reason}`) : undefined;
  if (event.as === 'done') return `  ${style.green('✓')} ${who(event)}  ${style.dim(showDuration(event.tookMs))}`;
  return style.red(`  ✗ ${who(event)}: ${reason}`);
}

function effectLine(event: Of<'effect'>, style: Style, verbosity: number): string | undefined {
  if (verbosity < 3) return undefined;
  const text = `    ${hostName(event.task.on)}  effect ${event.index + 1}: ${event.met ? 'as expected' : (event.reason ?? 'not as expected')}; ${outcomeText(event.outcome)}`;
  return style.dim(printable(text));
}

/** Of an output, characters: the journal has more. */
const MOST_SHOWN = 1024 * 1024;

function endOf(output: string): string {
  const text = output.trimEnd();
  const before = text.length - MOST_SHOWN;
  return before > 0 ? `… (${before} characters before this)\n${text.slice(-MOST_SHOWN)}` : text;
}

function outcomeText(outcome: Outcome): string {
  switch (outcome.is) {
    case 'ended': {
      const said = [outcome.stdout, outcome.stderr].map(endOf).filter((t) => t !== '');
      return [`status ${outcome.exit}`, ...said].join('\n').replaceAll('\n', '\n      ');
    }
    case 'answered':
      return `answered ${outcome.status}: ${outcome.body.slice(0, 400)}`;
    case 'said':
      return `said "${outcome.answer}"`;
    case 'refused':
      return `refused: ${outcome.found}`;
    case 'unknown':
      return `not known (${outcome.why})`;
    case 'applied':
      return 'applied';
  }
}
