import { carryOut } from './apply.js';
import { readCopy } from '../journal/run-folder.js';
import { EXIT, invalid } from './exit.js';
import { parseFlags } from './flags.js';
import { closeWhatWasTakenBack } from './release.js';
import { openUnfinished } from './unfinished.js';

/** `runbook resume`: goes on with the unfinished run, from its own copies. What is settled is not decided again. */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags('resume', argv);
  if ('mistake' in flags) return invalid(flags.mistake);
  const unfinished = await openUnfinished('resume', flags);
  if (typeof unfinished === 'number') return unfinished;
  const code = await carryOut({ ...unfinished, verb: 'resume' });
  return code === EXIT.done ? closeWhatWasTakenBack(readCopy(unfinished.folder).backFrom, flags) : code;
}
