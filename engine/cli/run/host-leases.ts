import { stateOf, type Holder } from '../../journal/holder.js';
import type { Journal } from '../../journal/journal.js';
import type { RunFolder } from '../../journal/run-folder.js';
import type { Recorded } from '../../terms/event.js';
import type { Fleet } from '../../terms/machine.js';
import { hostName } from '../../terms/subject.js';
import { Leases } from '../../run/lease.js';
import type { Ports } from '../../run/run.js';
import { runsOfProject } from '../options/project.js';
import type { Outbox } from '../../store/outbox.js';
import { lastWrite } from './in-time.js';
import { leaseText } from './lock.js';
import {
  findLostRuns,
  findOlderJournals,
  fromHosts,
  olderText,
  type KeptOff,
  type OlderJournal,
} from './older-journal.js';
import { isNewRun, type SessionRequest } from './session-request.js';

interface HostPorts {
  readonly journal: Journal;
  /** Of the run so far. */
  readonly events: readonly Recorded[];
  readonly swap: Fleet['swap'];
  readonly outbox: Outbox | undefined;
}

/** The leases and markers of a run on its hosts, and why the run may not work there: another run's lease, or markers newer than its journal. */
export class HostLeases {
  readonly leases: Leases;
  #keptOff: KeptOff | undefined;

  constructor(
    private readonly request: SessionRequest,
    private readonly at: HostPorts,
  ) {
    this.leases = new Leases(request.project, at.swap, request.flags.without);
  }

  keptOff(): KeptOff | undefined {
    return this.#keptOff;
  }

  /** Takes the leases before the first fact is read, and releases them at the end. A plan only reads them. */
  ports(): Pick<Ports, 'takeLeases' | 'endLeases'> {
    const holder = this.request.lock?.holder;
    if (holder !== undefined) return { takeLeases: () => this.#take(holder), endLeases: () => this.#releaseAtEnd() };
    return isNewRun(this.request) || this.#ownRun() !== undefined ? { takeLeases: () => this.#readMarkers() } : {};
  }

  /** Releases the leases that are left, within a limit. Without a lock there are none. */
  async release({ withMarkers }: { readonly withMarkers: boolean }): Promise<void> {
    if (this.request.lock?.holder !== undefined) await lastWrite(this.leases.release(withMarkers));
  }

  /** Whether a host knows more of the run than its journal, as a run finds out before it acts. */
  async findOlder(): Promise<OlderJournal | undefined> {
    const { leases: standing } = await this.leases.find();
    const markers = new Map(this.leases.markers());
    // A run whose lease still stands may be at work, which is no matter of the plan of another.
    if (isNewRun(this.request) && !this.request.flags.fromHosts)
      for (const { host, holder: by } of standing) if (stateOf(by) !== 'ended') markers.delete(host);
    return this.#goOnFromHosts(this.#olderJournals(markers));
  }

  async #take(own: Holder): Promise<string | undefined> {
    const { journal, outbox } = this.at;
    // Who lost the run takes no lease on its hosts.
    await outbox?.mayAct();
    const by = await this.leases.take(own, (text) => journal.emit({ e: 'warned', text }), this.#replacedTokens());
    if (by !== undefined) {
      this.#keptOff = { by };
      return leaseText(by);
    }
    const older = this.#goOnFromHosts(this.#olderJournals(this.leases.markers()));
    if (older !== undefined) await this.leases.release();
    return this.#keptOffBy(older);
  }

  /** Returns the hosts on which the run acted, and that could not be asked to remove its marker. */
  async #releaseAtEnd(): Promise<readonly string[]> {
    await this.release({ withMarkers: true });
    const acted = new Set(this.at.events.flatMap(({ event: e }) => (e.e === 'intent' ? [hostName(e.task.on)] : [])));
    return this.leases.marked().filter((host) => acted.has(host));
  }

  async #readMarkers(): Promise<string | undefined> {
    return this.#keptOffBy(await this.findOlder());
  }

  #keptOffBy(older: OlderJournal | undefined): string | undefined {
    this.#keptOff = older && { older };
    return older && olderText(older);
  }

  /** The run of whose journal the markers of the hosts may know more. */
  #ownRun(): RunFolder | undefined {
    const { folder, reads, takesBack } = this.request;
    return folder ?? reads ?? takesBack ?? undefined;
  }

  #olderJournals(markers: ReadonlyMap<string, string>): readonly OlderJournal[] {
    const runs = runsOfProject(this.request.project);
    if (isNewRun(this.request)) return findLostRuns(runs, markers);
    const compared = this.#ownRun();
    return compared === undefined ? [] : findOlderJournals(runs, compared, markers);
  }

  /** What keeps the run from the hosts; with `--from-hosts` the run's own journal does not. */
  #goOnFromHosts(all: readonly OlderJournal[]): OlderJournal | undefined {
    const { project, flags, folder, reads } = this.request;
    const { journal } = this.at;
    const ownId = (folder ?? reads)?.id;
    const own = flags.fromHosts ? all.filter(({ copy }) => copy === undefined || copy.folder.id === ownId) : [];
    for (const event of own.length === 0 ? [] : fromHosts(project, journal.state, own)) journal.emit(event);
    return all.find((one) => !own.includes(one));
  }

  /** Those whose leases count for nothing: of whom this process took the run over, and of whom an earlier one did. */
  #replacedTokens(): ReadonlySet<string> {
    const { replaces } = this.request.lock?.shared ?? {};
    return new Set([
      ...(replaces === undefined ? [] : [replaces.token]),
      ...this.at.events.flatMap(({ event }) => (event.e === 'taken-over' ? [event.from] : [])),
    ]);
  }
}
