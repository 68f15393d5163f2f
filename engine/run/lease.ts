import { parseHolder, stateOf, type Holder } from '../journal/holder.js';
import type { Project } from '../language/project.js';
import type { Fleet, HostLease, Swapped } from '../terms/machine.js';

/** A lease on a host, and the exact text by which it is taken away. */
export interface Lease {
  readonly host: string;
  readonly holder: Holder;
  readonly text: string;
}

/** How often a lease may change hands while it is being taken. */
const ROUNDS = 3;

/**
 * The lease files of one process on the hosts that the platform names: another folder, user or machine with the same hosts is refused.
 * They are written with the first questions of a run and removed at its end, and name the process that works there.
 */
export class Leases {
  /** The text of each that this process has. */
  readonly #taken = new Map<string, string>();
  /** Hosts without a marker of the run: it was removed with the lease, or the user may write neither there. */
  readonly #unmarked = new Set<string>();
  /** What the markers beside them said before this process acted. */
  readonly #markers = new Map<string, string>();
  /** Hosts on which something may still begin that was sent under the lease as it is. */
  readonly #doubtful = new Set<string>();
  #renewals = 0;
  /** Those that the platform names, whatever the run is limited to. */
  readonly hosts: readonly string[];
  /** The same, with those that were given up. */
  readonly #all: readonly string[];
  readonly #file: string;

  constructor(
    { platform, inventory }: Pick<Project, 'platform' | 'inventory'>,
    private readonly swap: Fleet['swap'],
    without: ReadonlySet<string> = new Set(),
  ) {
    const { roles = [], file = '' } = platform.lease ?? {};
    this.#file = file;
    this.#all = inventory.hosts.filter((h) => h.roles.some((role) => roles.includes(role))).map(({ name }) => name);
    this.hosts = this.#all.filter((host) => !without.has(host));
  }

  /**
   * Takes all, or none: then it gives one that another process has. `warn` is called for hosts that can have none. Leases of a process that
   * has ended are replaced, and those of one from which the inventory was taken over.
   */
  async take(
    holder: Holder,
    warn: (text: string) => void,
    replaces: ReadonlySet<string> = new Set(),
  ): Promise<Lease | undefined> {
    const all = await Promise.all(this.hosts.map((host) => this.#takeOne(host, holder, replaces)));
    const taken = all.find((each) => each !== undefined && 'holder' in each);
    if (taken !== undefined && 'holder' in taken) {
      await this.release();
      return taken;
    }
    // A host that cannot be reached or refuses the login is not worked on, and the run says so itself.
    for (const each of all)
      if (each !== undefined && 'why' in each && each.why === 'denied') {
        this.#unmarked.add(each.host);
        warn(`no lease on ${each.host} (${each.reason}): another controller would not be kept away from it`);
      }
    return undefined;
  }

  /** The markers that were beside the leases as they were taken or looked for, by host; those that could not be read are missing. */
  markers(): ReadonlyMap<string, string> {
    return this.#markers;
  }

  #keepMarker(host: string, swapped: Swapped): void {
    if (swapped.is !== 'failed' && swapped.marker !== undefined) this.#markers.set(host, swapped.marker);
  }

  async #takeOne(
    host: string,
    holder: Holder,
    replaces: ReadonlySet<string>,
  ): Promise<Lease | (Extract<Swapped, { is: 'failed' }> & { host: string }) | undefined> {
    let expected = '';
    for (let round = 1; ; round += 1) {
      const swapped = await this.swap(host, this.#file, expected, JSON.stringify(holder));
      this.#keepMarker(host, swapped);
      if (swapped.is === 'swapped') {
        this.#taken.set(host, JSON.stringify(holder));
        return undefined;
      }
      if (swapped.is === 'failed') return { ...swapped, host };
      const other = parseHolder(swapped.text, '');
      // After a loss of the connection our own may stand there already.
      if (other.token === holder.token) {
        this.#taken.set(host, swapped.text);
        return undefined;
      }
      const mayReplace = replaces.has(other.token) || stateOf(other) === 'ended';
      if (!mayReplace || round === ROUNDS) return { host, holder: other, text: swapped.text };
      expected = swapped.text;
    }
  }

  /** Removes those that were taken, with their markers once the run is over; one that meanwhile became another's stays. */
  async release(withMarkers = false): Promise<void> {
    const taken = [...this.#taken];
    this.#taken.clear();
    await Promise.all(
      taken.map(async ([host, text]) => {
        const { is } = await this.swap(host, this.#file, text, '', withMarkers);
        if (withMarkers && is !== 'failed') this.#unmarked.add(host);
      }),
    );
  }

  /** Hosts on which the marker of the run stays, where it acted. */
  marked(): readonly string[] {
    return this.#all.filter((host) => !this.#unmarked.has(host));
  }

  /** Those of all others, and hosts of which it is not known; writes nothing. */
  async find(): Promise<{ readonly leases: readonly Lease[]; readonly unknown: readonly string[] }> {
    // Where there is none, there is none to be removed.
    const all = await Promise.all(
      this.hosts.map(async (host) => ({ host, found: await this.swap(host, this.#file, '', '') })),
    );
    for (const { host, found } of all) this.#keepMarker(host, found);
    return {
      leases: all.flatMap(({ host, found }) =>
        found.is === 'found' ? [{ host, holder: parseHolder(found.text, ''), text: found.text }] : [],
      ),
      unknown: all.flatMap(({ host, found }) => (found.is === 'failed' ? [`${host}: ${found.reason}`] : [])),
    };
  }

  /** What an action on a host compares as it begins; undefined where this process has no lease. */
  of(host: string): HostLease | undefined {
    const text = this.#taken.get(host);
    return text === undefined ? undefined : { file: this.#file, text };
  }

  /** It is not known what became of an action there: it may begin later, when a frozen machine wakes up. */
  doubt(host: string): void {
    if (this.#taken.has(host)) this.#doubtful.add(host);
  }

  isDoubtful(host: string): boolean {
    return this.#doubtful.has(host);
  }

  /**
   * Writes the lease of a doubtful host in other words, which refuses whatever was sent before. `taken`: another process has it by now.
   * `failed`: the host cannot be reached, and stays doubtful.
   */
  async renew(host: string, holder: Holder): Promise<'renewed' | 'taken' | 'failed'> {
    this.#renewals += 1;
    const wanted = JSON.stringify({ ...holder, renewal: this.#renewals });
    for (let round = 1; round <= ROUNDS; round += 1) {
      const swapped = await this.swap(host, this.#file, this.#taken.get(host) ?? '', wanted);
      if (swapped.is === 'failed') return 'failed';
      // After a loss of the connection our own may stand there already.
      if (swapped.is === 'found' && parseHolder(swapped.text, '').token !== holder.token) return 'taken';
      this.#taken.set(host, swapped.is === 'swapped' ? wanted : swapped.text);
      if (swapped.is === 'found' && swapped.text !== wanted) continue;
      this.#doubtful.delete(host);
      return 'renewed';
    }
    return 'failed';
  }

  /** Removes these, where they still stand. */
  async remove(leases: readonly Lease[]): Promise<void> {
    await Promise.all(leases.map(({ host, text }) => this.swap(host, this.#file, text, '')));
  }
}
