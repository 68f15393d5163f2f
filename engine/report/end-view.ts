import { showDuration } from '../lib/duration.js';
import type { Event, Recorded } from '../terms/event.js';
import { taskKey } from '../terms/task.js';
import { count, printable, section, styleFor, type Paper } from './style.js';
import { hostName, tally, type Line } from './tally.js';

/** How a run ended, for the person who started it: what changed, what failed and why, what is still in place, what to do. */
export function endView(events: readonly Recorded[], paper: Paper & { readonly folder?: string }): string {
  const t = tally(events);
  const style = styleFor(paper);
  const lines = t.plays.flatMap((p) => p.lines);
  const bad = lines.filter((l) => l.is === 'failed' || l.is === 'blocked' || l.is === 'unreachable');
  const changed = changedTasks(events);
  const { ended } = t;
  if (ended === undefined) return style.red('The run did not end: its controller stopped. Go on with: runbook resume');
  const sums = `${changed} changed   ${lines.filter((l) => l.is === 'ok').length} already right   ${lines.filter((l) => l.is === 'skipped').length} skipped   ${showDuration(ended.tookMs)}`;
  const out = [...bad.flatMap((l) => failureView(l, style)), ...[...t.lost].map(([h, why]) => style.red(`✗ ${h}  unreachable: ${printable(why.reason)}${why.hint === undefined ? '' : `\n  ${printable(why.hint)}`}`))];
  if (ended.as === 'done') return [...out, `${style.green('✓')} ${t.started?.playbook ?? ''}: done.   ${sums}`, ...(t.differs > 0 ? [style.yellow(`  ${count(t.differs, 'fact')} read otherwise afterwards than predicted (runbook show --diff)`)] : [])].join('\n');
  if (ended.as === 'released') return `${style.green('✓')} Released: every temporary change was given back, and the run is closed.`;
  out.push('', ended.as === 'refused' ? style.bold('Refused. Nothing was changed.') : `${style.bold(WORDS[ended.as])}${ended.reason === undefined ? '' : ` ${printable(ended.reason)}.`}   ${sums}`);
  if (ended.untouched.length > 0 && ended.as !== 'refused') out.push(`Nothing after this was started: ${ended.untouched.join(' · ')}`);
  if (ended.stillOwed.length > 0) out.push(`Still in place: ${ended.stillOwed.map((d) => `${d.name} (${hostName(d.task.on)})`).join(' · ')}`);
  if (ended.as !== 'refused' && (changed > 0 || ended.stillOwed.length > 0)) {
    out.push('  runbook resume               go on from this step');
    if (ended.stillOwed.length > 0) out.push('  runbook release              only give the temporary changes back, and close the run');
  }
  if (paper.folder !== undefined) out.push(style.dim(`journal and log: ${paper.folder}`));
  return out.join('\n');
}

const WORDS = { failed: 'Stopped.', unreachable: 'Stopped: a host is unreachable.', interrupted: 'Interrupted.', refused: 'Refused.', done: '', released: '' } as const;

function failureView(line: Line, style: ReturnType<typeof styleFor>): string[] {
  return [
    `${style.red('✗')} ${style.bold(line.host)}  ${line.name}   ${style.dim(section(line.spec))}`,
    `  ${printable(line.because)}`,
    ...(line.hint === undefined ? [] : [`  ${style.cyan(printable(line.hint))}`]),
  ];
}

/** Tasks that changed something, each once. */
const changedTasks = (events: readonly Recorded[]): number =>
  new Set(events.flatMap(({ event }) => (isChanged(event) ? [taskKey(event.task)] : []))).size;
const isChanged = (e: Event): e is Extract<Event, { e: 'settled' }> => e.e === 'settled' && e.as === 'done' && e.changed;
