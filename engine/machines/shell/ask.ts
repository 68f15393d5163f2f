import type { ProbeOutput } from '../../facts/kind.js';
import type { Outcome } from '../../terms/action.js';
import type { Failed } from '../machine.js';
import { preconditionExit } from './file-actions.js';
import { lastWords } from './run.js';
import { leaseExit, type Fragment } from './frame.js';
import { floodText, type SendLimits } from './limits.js';
import { limitsOf, type ShPlace } from './place.js';

/** One fragment through the persistent shell. An outcome when there is no output. */
export async function askShell(
  machine: ShPlace,
  fragment: Fragment,
  limitMs: number,
  become?: string,
): Promise<ProbeOutput | Outcome> {
  const session = await machine.session(become);
  if (session.is === 'failed') return unreached(session);
  const frames = await session.value.ask([fragment], limitMs);
  if (frames.is === 'timeout') return { is: 'unknown', why: 'timeout', detail: `no answer within ${limitMs / 1000} s` };
  if (frames.is === 'lost') return { is: 'unknown', why: 'connection', detail: frames.reason };
  if (frames.is === 'flooded') return flooded(fragment, limitsOf(machine.host));
  const printed = frames.outputs[0];
  if (printed === undefined) return { is: 'unknown', why: 'connection', detail: 'the shell gave no answer' };
  return afterLease(fragment, printed);
}

/** It may have been done, and was ended while it printed. */
export const flooded = ({ most }: Fragment, { answer }: SendLimits): Outcome => ({
  is: 'unknown',
  why: 'timeout',
  detail: floodText(most ?? answer),
});

/** What a fragment printed, or that it did not begin. */
export const afterLease = ({ lease }: Fragment, printed: ProbeOutput): ProbeOutput | Outcome =>
  lease !== undefined && printed.exit === leaseExit
    ? { is: 'refused', by: 'fence', found: `${lease.file} is of another controller` }
    : printed;

/** Nothing was done. The outcome of an unreachable host is unknown all the same, which distinguishes it from a failed step. */
export const unreached = ({ why, reason, hint }: Failed): Outcome =>
  why === 'unreachable'
    ? { is: 'unknown', why: 'connection', detail: reason }
    : { is: 'refused', by: 'machine', found: reason, ...(hint === undefined ? {} : { hint }) };

export const isOutput = (printed: ProbeOutput | Outcome): printed is ProbeOutput => !('is' in printed);

/** What a script of `sh-file-actions` or of a job's start came to. */
export function outcomeOfScript(printed: ProbeOutput | Outcome): Outcome {
  if (!isOutput(printed)) return printed;
  if (printed.exit === 0) return { is: 'applied' };
  const found = lastWords(Buffer.from(printed.stdout, 'latin1').toString('utf8'));
  if (printed.exit === preconditionExit) return { is: 'refused', by: 'precondition', found };
  const hint = hintOf(found);
  return {
    is: 'refused',
    by: 'machine',
    found: found === '' ? `the host gave status ${printed.exit} and no reason` : found,
    ...(hint === undefined ? {} : { hint }),
  };
}

function hintOf(found: string): string | undefined {
  if (/No space left|quota exceeded/i.test(found)) return 'the file system is full: free some space there';
  if (/Read-only file system/.test(found)) return 'the file system is mounted read-only';
  if (/Permission denied|not permitted/.test(found)) return 'may the user that works here (ssh.become_user) do that?';
  return undefined;
}
