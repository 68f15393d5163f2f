import { readEvents } from '../journal/run-folder.js';
import { endView } from '../report/end-view.js';
import { planView } from '../report/plan-view.js';
import { EXIT, invalid } from './exit.js';
import { parseFlags } from './flags.js';
import { paperOf } from './paper.js';
import { NONE, pickRun } from './unfinished.js';

/** `runbook show [RUN]`: what a run did, in the words of the plan, and how it ended. */
export function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(argv);
  if ('mistake' in flags) return Promise.resolve(invalid(flags.mistake));
  const folder = pickRun(flags);
  if (folder === undefined) return Promise.resolve(NONE);
  const events = readEvents(folder);
  if (flags.json) for (const recorded of events) process.stdout.write(`${JSON.stringify(recorded)}\n`);
  else {
    const paper = paperOf(process.stdout);
    process.stdout.write(`${planView(events, { ...paper, diff: flags.diff, verbose: flags.verbosity > 0, past: true })}\n\n${endView(events, { ...paper, folder: folder.path })}\n`);
  }
  return Promise.resolve(EXIT.done);
}
