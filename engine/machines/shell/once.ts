import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { ProbeOutput } from '../../facts/kind.js';
import type { Outcome } from '../../terms/action.js';
import type { Clock } from '../../terms/machine.js';
import { flooded } from './ask.js';
import { frameText, readFrames, type Fragment } from './frame.js';
import { login, type Become } from './login.js';
import { shellPrelude } from './session.js';
import type { SendLimits } from './limits.js';
import { within } from '../time-limit.js';
import type { Transport } from '../transport.js';

export interface OnceRequest {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly limits: SendLimits;
  readonly fragment: Fragment;
  /** The fragment's standard input, to its end. */
  readonly input: Readable;
  readonly limitMs: number;
  readonly become?: Become;
}

/**
 * Runs a fragment on a channel of its own, with standard input. The script comes first on that same input, and is read by its exact
 * length: no shell ever reads commands from a stream that carries data.
 */
export async function askOnce(request: OnceRequest): Promise<ProbeOutput | Outcome> {
  const mark = { word: randomBytes(16).toString('hex'), number: 1 };
  const script = Buffer.from(shellPrelude + frameText(mark, [{ ...request.fragment, withInput: true }]));
  const shell = await login(request.transport, { ...request, script: `eval "$(head -c ${script.length})"` });
  if (shell.is === 'failed')
    return shell.why === 'unreachable'
      ? { is: 'unknown', why: 'connection', detail: shell.reason }
      : {
          is: 'refused',
          by: 'machine',
          found: shell.reason,
          ...(shell.hint === undefined ? {} : { hint: shell.hint }),
        };
  const { channel, out } = shell.value;
  channel.stdin.write(script);
  // A program may end without reading it all; an unreadable source ends the channel, and the length of what came tells.
  request.input.on('error', () => channel.close()).pipe(channel.stdin);
  const outputs = await within(
    readFrames(out, mark, [request.fragment], request.limits),
    request.limitMs,
    request.clock,
  );
  request.input.destroy();
  channel.close();
  if (outputs === 'timeout')
    return { is: 'unknown', why: 'timeout', detail: `no answer within ${request.limitMs / 1000} s` };
  if (out.isFlooded) return flooded(request.fragment, request.limits);
  return (
    outputs[0] ?? {
      is: 'unknown',
      why: 'connection',
      detail: (await shell.value.lastWords()) || 'the connection was lost',
    }
  );
}
