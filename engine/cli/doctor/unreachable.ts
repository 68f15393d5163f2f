import { http } from '../../facts/http.js';
import { groupBy } from '../../lib/group-by.js';
import { refKey, type Answer, type Need } from '../../terms/fact.js';
import type { Endpoint, Host } from '../../terms/inventory.js';
import { keyOf } from '../../terms/subject.js';
import type { Reader } from '../../terms/machine.js';

/** Endpoints and nodes of them that are known to be unreachable, by their keys as subjects, each with the reason. */
export type Unreachable = ReadonlyMap<string, string>;

/** What is on a host that is not reached, or only leads through such hosts: a consequence, which is neither asked nor a problem of its own. */
export function behindHosts(
  endpoints: readonly Endpoint[],
  hosts: readonly Host[],
  away: ReadonlySet<string>,
): Unreachable {
  const found = new Map<string, string>();
  for (const { name, urls, via } of endpoints) {
    const way =
      via === undefined
        ? []
        : 'host' in via
          ? [via.host]
          : hosts.filter(({ roles }) => roles.includes(via.role)).map((host) => host.name);
    const reasons = urls.map(({ host }) => {
      const isWayAway = way.every((one) => away.has(one));
      const missing = host !== undefined && away.has(host) ? [host] : isWayAway ? way : [];
      const reason = missing.length === 0 ? undefined : `${name}: ${missing.join(', ')} cannot be reached`;
      if (reason !== undefined && host !== undefined) found.set(keyOf({ endpoint: name, node: host }), reason);
      return reason;
    });
    const [first] = reasons;
    if (first !== undefined && reasons.every((reason) => reason !== undefined))
      found.set(keyOf({ endpoint: name }), [...new Set(reasons)].join('; '));
  }
  return found;
}

/** A reader that answers at once for what is known to be unreachable, and asks an endpoint by its other nodes: nothing waits for it twice. */
export function withoutUnreachable(reader: Reader, endpoints: readonly Endpoint[], unreachable: Unreachable): Reader {
  const closedOf = (name: string): readonly string[] =>
    (endpoints.find((one) => one.name === name)?.urls ?? []).flatMap(({ host }) =>
      host !== undefined && unreachable.has(keyOf({ endpoint: name, node: host })) ? [host] : [],
    );
  const reasonFor = ({ of }: Need): string | undefined => unreachable.get(keyOf(of));
  return {
    async ask(needs, context) {
      const known = needs.flatMap((one): readonly (readonly [string, Answer])[] => {
        const reason = reasonFor(one);
        if (reason === undefined) return [];
        // As the endpoint's own reader answers.
        const answer: Answer =
          one.fact === http.name
            ? { is: 'value', value: { is: 'unreachable', reason } }
            : { is: 'failed', why: 'unreachable', reason };
        return [[refKey(one), answer]];
      });
      const open = needs.filter((one) => reasonFor(one) === undefined);
      const byEndpoint = groupBy(open, ({ of }) => ('endpoint' in of ? of.endpoint : ''));
      const answers = await Promise.all(
        byEndpoint.map((some) => {
          const [{ of }] = some;
          const inHand = [...(context?.inHand ?? []), ...('endpoint' in of ? closedOf(of.endpoint) : [])];
          return reader.ask(some, { ...context, inHand });
        }),
      );
      return new Map([...known, ...answers.flatMap((some) => [...some])]);
    },
  };
}
