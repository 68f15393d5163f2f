import { parseHolder, type Holder } from '../../journal/holder.js';
import type { Locked, RunStore } from '../run-store.js';
import type { Link, Sequence } from './link.js';

type Locks = Pick<RunStore, 'lock' | 'takeOver' | 'holderOf' | 'release'>;

/** The last message of a lock's subject names its holder; an empty one says that it is free. */
interface Entry {
  readonly seq: Sequence;
  readonly holder?: Holder;
}

export function locksOf(link: Link, stream: string, subjectOf: (name: string) => string): Locks {
  const read = async (name: string): Promise<Entry> => {
    const message = await link.last(`read lock ${name}`, stream, subjectOf(name));
    if (message === undefined) return { seq: 0 };
    return { seq: message.seq, ...(message.data.length === 0 ? {} : { holder: parseHolder(message.string(), '') }) };
  };

  /** Writes where `may` allows it by the entry of now; asks again where another came in between, which may be an own repeat. */
  const write = async (
    name: string,
    body: string,
    may: (holder: Holder | undefined) => Locked | undefined,
  ): Promise<Locked> => {
    for (;;) {
      const { seq, holder } = await read(name);
      const settled = may(holder);
      if (settled !== undefined) return settled;
      const message = { stream, subject: subjectOf(name), body: Buffer.from(body), after: seq };
      if ((await link.publish(`write lock ${name}`, message)).is === 'stored') return { is: 'held' };
    }
  };

  return {
    lock: (name, holder) =>
      write(name, JSON.stringify(holder), (by) => {
        if (by === undefined) return undefined;
        return by.token === holder.token ? { is: 'held' } : { is: 'taken', by };
      }),
    takeOver: (name, holder, seen) =>
      write(name, JSON.stringify(holder), (by) => {
        if (by === undefined) return { is: 'free' };
        if (by.token === holder.token) return { is: 'held' };
        return by.token === seen.token ? undefined : { is: 'taken', by };
      }),
    holderOf: async (name) => (await read(name)).holder,
    async release(name, holder) {
      await write(name, '', (by) => (by?.token === holder.token ? undefined : { is: 'free' }));
    },
  };
}
