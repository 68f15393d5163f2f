import { showDuration } from '../lib/duration.js';
import type { Event, Recorded } from '../terms/event.js';
import { printable, section, styleFor, type Paper } from './style.js';
import { hostName } from './tally.js';

/** A line for an event, or undefined where there is nothing to say. The same for a terminal, a pipe and the log file. */
export function progressLine({ event }: Recorded, paper: Paper, verbosity: number): string | undefined {
  const style = styleFor(paper);
  switch (event.e) {
    case 'play-started':
      return `${style.bold([...event.within, event.name].join(' / '))}  ${style.dim(section(event.spec))}`;
    case 'play-skipped':
      return style.dim(`${[...event.within, event.name].join(' / ')}: skipped, ${printable(event.because)}`);
    case 'intent':
      return `  ${style.yellow(event.change.sign)} ${hostName(event.task.on)}  ${event.name}: ${printable(event.change.summary)}`;
    case 'settled':
      return settledLine(event, paper, verbosity);
    case 'task-skipped':
      return verbosity > 1 ? style.dim(`  - ${hostName(event.task.on)}  ${event.name}: skipped, ${printable(event.because)}`) : undefined;
    case 'warned':
      return style.yellow(`  ! ${event.task === undefined ? '' : `${hostName(event.task.on)}  `}${printable(event.text)} ${section(event.spec)}`);
    case 'waiting':
      return event.forMs === 0 || verbosity > 1
        ? style.dim(`  … ${event.task === undefined ? (event.host ?? '') : hostName(event.task.on)}  waiting: ${printable(event.for)}, ${Math.round(event.forMs / 1000)} s of ${Math.round(event.limitMs / 1000)} s`)
        : undefined;
    case 'host-lost':
      return style.red(`  ✗ ${event.host}  unreachable: ${printable(event.reason)}`);
    case 'paid':
      return verbosity > 0 ? style.dim(`    given back (${event.by}): ${hostName(event.task.on)}  ${event.task.step.split('/').at(-1) ?? ''}`) : undefined;
    default:
      return undefined;
  }
}

function settledLine(event: Extract<Event, { e: 'settled' }>, paper: Paper, verbosity: number): string | undefined {
  const style = styleFor(paper);
  const who = `${hostName(event.task.on)}  ${event.name}`;
  if (event.as === 'ok') return verbosity > 0 ? style.dim(`  = ${who}: ${printable(event.reason ?? '')}`) : undefined;
  if (event.as === 'done') return `  ${style.green('✓')} ${who}  ${style.dim(showDuration(event.tookMs))}`;
  return style.red(`  ✗ ${who}: ${printable(event.reason ?? event.as)}`);
}
