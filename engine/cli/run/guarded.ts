import type { Holder } from '../../journal/holder.js';
import { markerText } from '../../journal/host-marker.js';
import type { Journal } from '../../journal/journal.js';
import { LockLost } from '../../journal/lock.js';
import type { Leases } from '../../run/lease.js';
import type { Outbox } from '../../store/outbox.js';
import type { Outcome } from '../../terms/action.js';
import type { Actor, EffectId, HostLease } from '../../terms/machine.js';
import { withoutElement } from '../../terms/task.js';

interface Guard {
  readonly journal: Journal;
  readonly leases: Leases;
  readonly holder: Holder | undefined;
  readonly outbox: Outbox | undefined;
}

/**
 * A process that was frozen may wake up between any two of its acts, with the run in another one's hands: it looks before each effect. What
 * a team shares is in its store before: what cannot be recorded there is not done. The lease on the host is compared by the host itself, as
 * an effect begins: that refuses also what was under way while this process, a worker or the network stood still. With the lease goes the
 * marker of the last synced record, so that the host knows of a journal that is older than it.
 */
export function guarded(actor: Actor, { journal, leases, holder, outbox }: Guard): Actor {
  const mayAct = async (): Promise<void> => {
    await outbox?.mayAct();
    journal.mustBeOurs();
  };
  /** Where it can be done, nothing that was sent to the host before can begin any more. */
  const renew = async (host: string): Promise<void> => {
    if (holder !== undefined && (await leases.renew(host, holder)) === 'taken') throw new LockLost();
  };
  return {
    async perform(on, action, context) {
      await mayAct();
      const host = 'host' in on ? on.host : '';
      if (leases.isDoubtful(host)) {
        await renew(host);
        // What was read before may have been done since: it is decided again.
        return notAsked(host);
      }
      const lease = leases.of(host);
      const outcome = await actor.perform(on, action, {
        ...context,
        ...(outbox === undefined ? {} : { mayAct }),
        ...(lease === undefined ? {} : { lease: { ...lease, ...markerOf(journal, context.id) } }),
      });
      if (outcome.is === 'refused' && outcome.by === 'fence') throw new LockLost();
      if (outcome.is === 'unknown' && outcome.why === 'connection') {
        leases.doubt(host);
        if (leases.isDoubtful(host)) await renew(host);
      }
      return outcome;
    },
    job: (on, id) => actor.job(on, id),
    // What is not in the store would be lost with this controller.
    async forgetJob(on, id) {
      await mayAct();
      await actor.forgetJob(on, id);
    },
  };
}

function markerOf({ state, synced }: Journal, id: EffectId): Pick<HostLease, 'marker'> {
  const [run, last] = [state.run ?? '', synced()];
  if (last === undefined) return {};
  // `RUN/STEP [ELEMENT]@host:NAME/ATTEMPT/INDEX`.
  const step = withoutElement(id.slice(run.length + 1).replace(/@[^@]*$/, ''));
  return { marker: markerText({ ...last, run, step }) };
}

const notAsked = (host: string): Outcome => ({
  is: 'unknown',
  why: 'connection',
  detail: `${host} could not be asked what became of the last action`,
});
