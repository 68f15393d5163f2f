import { MOST_HOSTS } from '../../lib/most-hosts.js';

/** What a file may cost. A reader of other people's files states these, and stops there. */
export const limits = {
  /** Maps and lists inside one another. */
  depth: 64,
  /** Values that aliases may add to those written. */
  aliasValues: 100_000,
  /** Hosts that one range may name. */
  rangeHosts: MOST_HOSTS,
  /** Playbooks taken in by imports, all in all. */
  imports: 200,
} as const;
