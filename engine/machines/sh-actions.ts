import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { ProbeOutput } from '../facts/kind.js';
import type { Action, Command, Outcome } from '../terms/action.js';
import type { EffectId } from '../terms/machine.js';
import type { Text } from '../terms/secret.js';
import { quoteOne } from '../lib/quote.js';
import { askShell, isOutput, outcomeOfScript, unreached } from './sh-ask.js';
import { fileActionText, replaceText } from './sh-file-actions.js';
import type { Fragment } from './sh-frame.js';
import { performJob } from './sh-job-action.js';
import type { ShPlace } from './sh-place.js';
import { askOnce } from './sh-once.js';
import { graceMs, outcomeOfRun, runText } from './sh-run.js';

type Write = Extract<Action, { do: 'write' }>;
type Upload = Extract<Action, { do: 'upload' }>;

/** How long an action on files may take: a copy of a data directory is the longest of them. */
const fileLimitMs = 30 * 60_000;
/** How long an answer may be under way beyond what the work itself was given. */
const answerMs = 30_000;
/** Up to here a file's bytes travel as words of the shell's script, in the same round trip. */
const inScriptBytes = 48 * 1024;

/** Performs an action on a POSIX host. Its secrets have been met: a Text here is a plain string. */
export async function performOnSh(machine: ShPlace, action: Action, id: EffectId): Promise<Outcome> {
  switch (action.do) {
    case 'run':
      return run(machine, action.command);
    case 'job':
      return performJob(machine, action, id);
    case 'write':
      return write(machine, action);
    case 'upload':
      return upload(machine, action);
    case 'request':
    case 'ask':
      return { is: 'refused', by: 'machine', found: `a host does not perform "${action.do}"` };
    default:
      return outcomeOfScript(await askShell(machine, { sh: fileActionText(action), withErrors: true }, fileLimitMs));
  }
}

async function run(machine: ShPlace, command: Command): Promise<Outcome> {
  const limitMs = command.timeoutMs + graceMs + answerMs;
  const fragment = { sh: runText(command) };
  const printed =
    command.stdin === undefined
      ? await askShell(machine, fragment, limitMs, command.become)
      : await feedShell(machine, fragment, limitMs, { input: plain(command.stdin), become: command.become });
  return isOutput(printed) ? outcomeOfRun(printed, command.timeoutMs) : printed;
}

async function write(machine: ShPlace, action: Write): Promise<Outcome> {
  const bytes = Buffer.from(plain(action.content), action.encoding ?? 'utf8');
  // The length shows a connection cut midway; a hash of it, in sight of other users of the host, could give a short secret away.
  const check = `[ "$(wc -c <"$t")" -eq ${bytes.length} ] || { echo 'the new content did not arrive whole'; exit 1; }`;
  const fragmentOf = (feed: string): Fragment => ({ sh: replaceText({ ...action, feed, check }), withErrors: true });
  if (bytes.length > inScriptBytes)
    return outcomeOfScript(await feedShell(machine, fragmentOf('cat >"$t"'), fileLimitMs, { input: bytes }));
  const inScript = fragmentOf(`base64 -d >"$t" <<'END'\n${bytes.toString('base64').replace(/.{1,1024}/g, '$&\n')}END`);
  return outcomeOfScript(await askShell(machine, inScript, fileLimitMs));
}

/** Copied by the transport, as the user that logs in, to a name nobody can guess; then put in place as the user that works. */
async function upload(machine: ShPlace, action: Upload): Promise<Outcome> {
  const check = `h=$(sha256sum <"$t"); [ "\${h%% *}" = ${action.sha256} ] || { echo 'the file did not arrive whole'; exit 1; }`;
  const place = { ...action, replaces: 'anything', check };
  const [transport, become] = [await machine.transport(), await machine.host.become()];
  if (transport.is === 'failed') return unreached(transport);
  if (become.is === 'failed') return unreached(become);
  const user = become.value?.user ?? transport.value.user;
  if (user !== 'root' && user !== transport.value.user) {
    const fragment = { sh: replaceText({ ...place, feed: 'cat >"$t"' }), withErrors: true };
    return outcomeOfScript(await feedShell(machine, fragment, fileLimitMs, { input: createReadStream(action.source) }));
  }
  const stage = `/tmp/runbook-upload-${randomBytes(16).toString('hex')}`;
  const sent = await transport.value.upload(action.source, stage);
  const clean = `rm -f -- ${stage}`;
  if (sent.is === 'failed') {
    await askShell(machine, { sh: clean }, fileLimitMs);
    return unreached(sent);
  }
  const feed = `cat -- ${quoteOne(stage)} >"$t" || { ${clean}; exit 1; }; ${clean}`;
  return outcomeOfScript(
    await askShell(machine, { sh: replaceText({ ...place, feed }), withErrors: true }, fileLimitMs),
  );
}

/** One fragment on a channel of its own, which gets the input: it never goes down the stream that a shell reads commands from. */
async function feedShell(
  machine: ShPlace,
  fragment: Fragment,
  limitMs: number,
  { input, become }: { input: Readable | string | Buffer; become?: string | undefined },
): Promise<ProbeOutput | Outcome> {
  const [transport, as] = [await machine.transport(), await machine.host.become(become)];
  if (transport.is === 'failed') return unreached(transport);
  if (as.is === 'failed') return unreached(as);
  return askOnce({
    transport: transport.value,
    clock: machine.host.clock,
    fragment,
    input: input instanceof Readable ? input : Readable.from([Buffer.from(input as string)]),
    limitMs,
    ...(as.value === undefined ? {} : { become: as.value }),
  });
}

function plain(text: Text): string {
  if (typeof text !== 'string') throw new Error('a secret was not met before the machine');
  return text;
}
