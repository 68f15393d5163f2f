/** Hosts that one range may name, in an inventory and wherever one is made. */
export const MOST_HOSTS = 10_000;
