import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { ProbeOutput } from '../../facts/kind.js';
import type { Action, Command, Outcome } from '../../terms/action.js';
import type { EffectContext, EffectId } from '../../terms/machine.js';
import type { Text } from '../../terms/secret.js';
import { afterLease, askShell, isOutput, outcomeOfScript, unreached } from './ask.js';
import { fileActionText, replaceText } from './file-actions.js';
import type { Fragment } from './frame.js';
import { performJob } from './job-action.js';
import { runMark } from './job.js';
import { commandAnswer } from './limits.js';
import { limitsOf, type ShPlace } from './place.js';
import { askOnce } from './once.js';
import { graceMs, outcomeOfRun, runText } from './run.js';
import { within } from '../time-limit.js';

type Write = Extract<Action, { do: 'write' }>;
type Upload = Extract<Action, { do: 'upload' }>;
type Lease = EffectContext['lease'];

/** How long an action on files may take: a copy of a data directory is the longest of them. */
const fileLimitMs = 30 * 60_000;
/** How long an answer may be under way beyond what the work itself was given. */
const answerMs = 30_000;
/** Up to here a file's bytes travel as words of the shell's script, in the same round trip. */
const inScriptBytes = 48 * 1024;

/** Performs an action on a POSIX host. Its secrets have been met: a Text here is a plain string. */
export async function performOnSh(place: ShPlace, action: Action, context: EffectContext): Promise<Outcome> {
  const { id, lease } = context;
  switch (action.do) {
    case 'run':
      return run(place, action.command, id, lease);
    case 'job':
      return performJob(place, action, id, lease);
    case 'write':
      return write(place, action, lease);
    case 'upload':
      return upload(place, action, context);
    case 'request':
    case 'ask':
      return { is: 'refused', by: 'machine', found: `a host does not perform "${action.do}"` };
    default:
      return outcomeOfScript(
        await askShell(place, { sh: fileActionText(action), withErrors: true, lease }, fileLimitMs),
      );
  }
}

async function run(place: ShPlace, command: Command, id: EffectId, lease: Lease): Promise<Outcome> {
  const limitMs = command.timeoutMs + graceMs + answerMs;
  const limits = limitsOf(place.host);
  const isOwn = command.become === undefined;
  if (!isOwn && lease !== undefined) {
    // Another user may not read the lease: whoever works here compares it just before, and leaves the marker.
    const compared = await askShell(place, { sh: ':', lease }, answerMs);
    if (!isOutput(compared)) return compared;
  }
  const fragment = {
    sh: runText(command, runMark(id), limits.output),
    most: commandAnswer(limits),
    lease: isOwn ? lease : undefined,
  };
  const printed =
    command.stdin === undefined
      ? await askShell(place, fragment, limitMs, command.become)
      : await feedShell(place, fragment, limitMs, { input: plain(command.stdin), become: command.become });
  return isOutput(printed) ? outcomeOfRun(printed, command.timeoutMs) : printed;
}

async function write(place: ShPlace, action: Write, lease: Lease): Promise<Outcome> {
  const bytes = Buffer.from(plain(action.content), action.encoding ?? 'utf8');
  // The length shows a connection cut midway; a hash of it, in sight of other users of the host, could give a short secret away.
  const check = `[ "$(wc -c <"$t")" -eq ${bytes.length} ] || { echo 'the new content did not arrive whole'; exit 1; }`;
  const fragmentOf = (feed: string): Fragment => ({
    sh: replaceText({ ...action, feed, check }),
    withErrors: true,
    lease,
  });
  if (bytes.length > inScriptBytes)
    return outcomeOfScript(await feedShell(place, fragmentOf('cat >"$t"'), fileLimitMs, { input: bytes }));
  const inScript = fragmentOf(`base64 -d >"$t" <<'END'\n${bytes.toString('base64').replace(/.{1,1024}/g, '$&\n')}END`);
  return outcomeOfScript(await askShell(place, inScript, fileLimitMs));
}

/**
 * Copied by the transport, as the user that logs in, to a name that cannot be guessed, and put in place as the user that runs commands.
 * Where that is not possible (no SFTP; a user who may not read the other's file), the bytes are sent through a channel.
 */
async function upload(place: ShPlace, action: Upload, { mayAct, lease }: EffectContext): Promise<Outcome> {
  const readable = await access(action.source).then(
    () => true,
    () => false,
  );
  if (!readable) return { is: 'refused', by: 'machine', found: `${action.source} cannot be read here` };
  const check = `h=$(sha256sum <"$t"); [ "\${h%% *}" = ${action.sha256} ] || { echo 'the file did not arrive whole'; exit 1; }`;
  const fragmentOf = (feed: string): Fragment => ({
    sh: replaceText({ ...action, replaces: 'anything', check, feed }),
    withErrors: true,
    lease,
  });
  const [transport, become] = [await place.transport(), await place.host.become()];
  if (transport.is === 'failed') return unreached(transport);
  if (become.is === 'failed') return unreached(become);
  const user = become.value?.user ?? transport.value.user;
  if (user === 'root' || user === transport.value.user) {
    const stage = `/tmp/runbook-upload-${randomBytes(16).toString('hex')}`;
    const sent = await within(transport.value.upload(action.source, stage), fileLimitMs, place.host.clock);
    const clean = `rm -f -- ${stage}`;
    if (sent !== 'timeout' && sent.is === 'reached') {
      await mayAct?.();
      const fragment = fragmentOf(`cat -- ${stage} >"$t" || { ${clean}; exit 1; }; ${clean}`);
      const outcome = outcomeOfScript(await askShell(place, fragment, fileLimitMs));
      // It did not begin, so it did not clean up.
      if (outcome.is === 'refused' && outcome.by === 'fence') await askShell(place, { sh: clean }, fileLimitMs);
      return outcome;
    }
    await askShell(place, { sh: clean }, fileLimitMs);
    if (sent === 'timeout')
      return {
        is: 'refused',
        by: 'machine',
        found: `${action.source} did not arrive within ${fileLimitMs / 60_000} min`,
      };
    if (sent.why === 'unreachable') return unreached(sent);
  }
  const input = createReadStream(action.source);
  return outcomeOfScript(await feedShell(place, fragmentOf('cat >"$t"'), fileLimitMs, { input }));
}

/** One fragment on a channel of its own, which gets the input: it never goes down the stream that a shell reads commands from. */
async function feedShell(
  place: ShPlace,
  fragment: Fragment,
  limitMs: number,
  { input, become }: { input: Readable | string | Buffer; become?: string | undefined },
): Promise<ProbeOutput | Outcome> {
  const [transport, as] = [await place.transport(), await place.host.become(become)];
  if (transport.is === 'failed') return unreached(transport);
  if (as.is === 'failed') return unreached(as);
  const printed = await askOnce({
    transport: transport.value,
    clock: place.host.clock,
    limits: limitsOf(place.host),
    fragment,
    input: input instanceof Readable ? input : Readable.from([Buffer.from(input as string)]),
    limitMs,
    ...(as.value === undefined ? {} : { become: as.value }),
  });
  return isOutput(printed) ? afterLease(fragment, printed) : printed;
}

function plain(text: Text): string {
  if (typeof text !== 'string') throw new Error('a secret was not met before the machine');
  return text;
}
