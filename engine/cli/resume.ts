import { carryOut } from './apply.js';
import { invalid } from './exit.js';
import { parseFlags } from './flags.js';
import { openUnfinished } from './unfinished.js';

/** `runbook resume`: goes on with the unfinished run, from its own copies. What is settled is not decided again. */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags('resume', argv);
  if ('mistake' in flags) return invalid(flags.mistake);
  const unfinished = await openUnfinished('resume', flags);
  return typeof unfinished === 'number' ? unfinished : carryOut({ ...unfinished, verb: 'resume' });
}
