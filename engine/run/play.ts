import { defined } from '../lib/defined.js';
import { nameHosts } from '../lib/name-hosts.js';
import { batches } from '../language/playbook/serial.js';
import type { Play, Step } from '../terms/playbook.js';
import { actedOn } from './acted-on.js';
import { runBatch, type PlayEnd } from './batch.js';
import { isTagged, selectNow } from './chosen.js';
import { notNeeded } from './task/goal.js';
import { withoutOrder } from './play-hosts.js';
import { holdInvariants } from './invariants.js';
import { goesOnWithout } from './left-out.js';
import type { Run } from './run.js';
import { stopAsked } from './stop.js';
import { noteUnreadPlay } from './unread.js';
import { whatWasTakenBack } from './restore/detect-reverted.js';

const DONE: PlayEnd = { is: 'done' };

/**
 * A play from its hosts to its end. One that ended without hosts that were lost is gone through for those that are back; one whose goal
 * is met is skipped.
 */
export async function runPlay(run: Run, play: Play): Promise<PlayEnd> {
  const begun = run.journal.state.plays.get(play.path);
  const isResumed = begun?.ended === false;
  const missed = begun?.ended === true ? begun.without : undefined;
  const steps = play.steps.filter((step) => isTagged(run, play, step));
  // Where the options leave nothing but requirements, nothing is to be done.
  if (steps.every(({ required }) => required === true) || missed?.length === 0) return DONE;
  const { hosts: selected, without } = await selectNow(run, play);
  const hosts = missed === undefined ? selected : selected.filter((h) => missed.includes(h));
  if (missed !== undefined && hosts.length === 0) return DONE;
  const lost = whyUnreachable(run, play, without);
  if (lost !== undefined) return lost;
  const heading = {
    play: play.path,
    name: play.name,
    within: play.within,
    ...(without.length === 0 ? {} : { without }),
  };
  const because = whyNoHosts(play, hosts, without) ?? (isResumed ? undefined : await notNeeded(run, play, hosts));
  if (because !== undefined) {
    run.journal.emit({ e: 'play-skipped', ...heading, because });
    return DONE;
  }
  const noRoom = isResumed ? undefined : run.window?.noRoomFor(play);
  if (noRoom !== undefined) return { is: 'stopped', stop: noRoom, notBegun: true };
  // A serial play looks before each of its hosts.
  const taken = play.serial === undefined ? await whatWasTakenBack(run) : undefined;
  if (taken !== undefined)
    return { is: 'failed', because: `before "${play.name}": ${taken}`, goOn: false, notBegun: true };
  const { spec, pointOfNoReturn, safePoint } = play;
  const serial = play.serial !== undefined;
  run.journal.emit({ e: 'play-started', ...heading, ...defined({ spec, pointOfNoReturn, safePoint }), hosts, serial });
  await noteUnreadPlay(run, play);
  if (!isResumed && hosts.length > 1)
    for (const text of await withoutOrder(run, play)) run.journal.emit({ e: 'warned', text });
  const end = await (play.serial === undefined ? runBatch : runSerial)(run, play, steps, hosts);
  if (end.is === 'done') run.journal.emit({ e: 'play-ended', play: play.path });
  return end;
}

/** A part of the procedure that goes on without a host it needs would not be done, and what comes after it stands on it. */
function whyUnreachable(run: Run, play: Play, without: readonly string[]): PlayEnd | undefined {
  const needed = goesOnWithout(run, play) ? [] : without.filter((h) => !run.journal.state.leftOut.has(h));
  if (needed.length === 0) return undefined;
  const because = `${nameHosts(needed)}: lost before "${play.name}"`;
  return { is: 'unreachable', because, goOn: false, notBegun: true };
}

function whyNoHosts(play: Play, hosts: readonly string[], without: readonly string[]): string | undefined {
  if (hosts.length > 0 || play.hosts === 'controller') return undefined;
  return without.length === 0 ? 'no host is selected' : 'none of its hosts can be reached';
}

/** Host by host (or batch by batch), the one that a fact names last: asked again before each, the host in hand first on resume. */
async function runSerial(run: Run, play: Play, steps: readonly Step[], hosts: readonly string[]): Promise<PlayEnd> {
  const state = () => run.journal.state.plays.get(play.path);
  const sizes = [...batches(hosts.length, play.serial)];
  let remaining = hosts.filter((h) => state()?.left.includes(h) !== true);
  let worst: PlayEnd = { is: 'done' };
  for (const size of sizes) {
    if (remaining.length === 0) break;
    const stop = stopAsked(run);
    if (stop !== undefined) return { is: 'stopped', stop };
    run.facts.forgetEndpoints();
    const inHand = actedOn(run, play, state()?.inHand ?? []);
    const next = async () => (await orderNow(run, play, remaining, inHand)).slice(0, size);
    const broken = await notNow(run, play, await next(), inHand);
    if (broken !== undefined) return { is: 'failed', because: broken, goOn: false };
    // What had to hold was waited for, and another node may have been elected meanwhile.
    run.facts.forgetEndpoints();
    const batch = await next();
    for (const host of batch) {
      run.inHand.add(host);
      // Its turn may come long after the play began.
      if (run.actor !== undefined) run.facts.forget({ host });
      run.journal.emit({ e: 'host-chosen', play: play.path, host });
    }
    const end = await runBatch(run, play, steps, batch);
    for (const host of batch) run.inHand.delete(host);
    if (end.is === 'stopped' || (end.is !== 'done' && !end.goOn)) return end;
    if (end.is === 'done') for (const host of batch) run.journal.emit({ e: 'host-left', play: play.path, host });
    else worst = end;
    remaining = remaining.filter((h) => !batch.includes(h));
    if (run.goOn !== undefined && !(await run.goOn({ after: batch }))) return { is: 'stopped', stop: { by: 'pause' } };
  }
  return worst;
}

/**
 * Why these hosts are not taken in hand now. One that an earlier attempt had in hand is away because of us: what holds before a host
 * is taken cannot hold then.
 */
async function notNow(
  run: Run,
  play: Play,
  batch: readonly string[],
  inHand: readonly string[],
): Promise<string | undefined> {
  const taken = await whatWasTakenBack(run);
  if (taken !== undefined) return `before ${nameHosts(batch)}: ${taken}`;
  return batch.some((h) => inHand.includes(h)) ? undefined : holdInvariants(run, play, batch);
}

async function orderNow(
  run: Run,
  play: Play,
  remaining: readonly string[],
  inHand: readonly string[],
): Promise<readonly string[]> {
  const { hosts: now } = await selectNow(run, play);
  const order = [...now.filter((h) => remaining.includes(h)), ...remaining.filter((h) => !now.includes(h))];
  return [...order.filter((h) => inHand.includes(h)), ...order.filter((h) => !inHand.includes(h))];
}
