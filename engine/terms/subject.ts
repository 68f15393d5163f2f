/** Who a fact is of and an action is on. `node` asks this one node of an endpoint (an inventory host name), not any. */
export type Subject = { host: string } | { endpoint: string; node?: string } | { controller: true };

/** A stable text for a subject: `host:db-1`, `endpoint:api`, `endpoint:cluster/db-1`, `controller`. */
export const keyOf = (s: Subject): string =>
  'host' in s
    ? `host:${s.host}`
    : 'endpoint' in s
      ? `endpoint:${s.endpoint}${s.node === undefined ? '' : `/${s.node}`}`
      : 'controller';

/** A subject as people read it: a host by its name alone. */
export const hostName = (s: Subject): string => ('host' in s ? s.host : keyOf(s));
