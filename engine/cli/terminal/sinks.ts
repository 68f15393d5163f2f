import { join } from 'node:path';
import type { Journal } from '../../journal/journal.js';
import type { RunFolder } from '../../journal/run-folder.js';
import type { Project } from '../../language/project.js';
import { createProgress, type LiveOptions, type Progress, type Screen } from '../../report/live/live.js';
import { jsonText } from '../../report/json-text.js';
import { ndjsonLine, summaryLine } from '../../report/ndjson.js';
import { runSummary, type SummaryContext } from '../../report/run-summary.js';
import type { Recorded, Verb } from '../../terms/event.js';
import type { Flags } from '../options/flags.js';
import { terminalOf } from './terminal.js';

/** Standard error, and how large it is when it is a terminal that can be drawn on. */
function screenOf(stream: NodeJS.WriteStream, plain: boolean): Screen {
  const draws = stream.isTTY && !plain && process.env['TERM'] !== 'dumb';
  return {
    write: (text) => void stream.write(text),
    // A terminal that does not know its size says 0.
    ...(draws ? { size: () => ({ columns: stream.columns || 80, rows: stream.rows || 24 }) } : {}),
    every(ms, call) {
      const timer = setInterval(call, ms).unref();
      return () => clearInterval(timer);
    },
  };
}

/** What is watched on standard error. With `--json` nothing is: standard output has it all. */
export function openProgress(
  project: Project,
  flags: Flags,
  verb: Verb,
  nowMs: () => number,
  more: Pick<LiveOptions, 'phases' | 'past'> = {},
): Progress {
  const steps = new Map(project.playbook.plays.map((play) => [play.path, play.steps.length]));
  const screen = screenOf(process.stderr, flags.plain);
  const looks = verb === 'plan' || verb === 'diagnose';
  const quiet = flags.json || (looks && screen.size === undefined);
  return createProgress(quiet ? { ...screen, write: () => undefined } : screen, terminalOf(process.stderr), {
    verbosity: flags.verbosity,
    diff: flags.diff,
    nowMs,
    stepsOf: (play) => steps.get(play) ?? 0,
    lines: !looks,
    ...more,
  });
}

/** Who else listens: NDJSON on standard output with `--json`; the log beside the journal of a run that acts. */
export async function openSinks(
  journal: Journal,
  flags: Flags,
  verb: Verb,
  folder: RunFolder | undefined,
): Promise<{ close(): Promise<void> }> {
  if (flags.json) {
    writeVersion('runbook-events', { verb });
    journal.subscribe(writeEvent);
  }
  if (folder === undefined) return { close: () => Promise.resolve() };
  const { createLog } = await import('../../report/live/log.js');
  const log = await createLog(join(folder.path, 'run.log'));
  journal.subscribe(log.on);
  return log;
}

/** The first line of everything that `--json` writes. */
export const writeVersion = (format: string, more: Readonly<Record<string, string>> = {}): void =>
  writeJson({ format, version: 1, ...more });

/** A line of `--json` that is no event. */
export const writeJson = (value: unknown): void => void process.stdout.write(`${jsonText(value)}\n`);

export const writeEvent = (recorded: Recorded): void => void process.stdout.write(`${ndjsonLine(recorded)}\n`);

/** A finished list of events as `--json` writes it. */
export function writeEvents(events: readonly Recorded[], context: SummaryContext): void {
  writeVersion('runbook-events', { verb: context.verb });
  events.forEach(writeEvent);
  writeSummary(events, context);
}

/** The last line of `--json`. */
export const writeSummary = (events: readonly Recorded[], context: SummaryContext): void =>
  void process.stdout.write(`${summaryLine(events.at(-1)?.atMs ?? Date.now(), runSummary(events, context))}\n`);
