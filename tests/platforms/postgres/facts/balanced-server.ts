import type { EndpointFact } from '../../../../engine/machines/http/endpoint-facts.js';
import { jsonOrUndefined } from '../../../../engine/lib/json.js';

/** A server as the load balancer has it (subject: the balancer's endpoint). */
export interface ServerQuestion {
  readonly server: string;
}
export type BalancedServer =
  /** How many sessions a server in service has is not asked: it cannot be predicted. */
  | { readonly is: 'server'; readonly mode: 'ready' }
  | { readonly is: 'server'; readonly mode: 'drain'; readonly sessions: number }
  | { readonly is: 'unknown' }
  | { readonly is: 'unreachable'; readonly reason: string };
export const balancedServer = {
  name: 'balanced-server',
  key: (q: ServerQuestion) => JSON.stringify(q),
  __v: undefined as unknown as BalancedServer,
};

export const readBalancedServer: EndpointFact = async (exchange, { endpoint, node, question, inHand }) => {
  const { server } = question as unknown as ServerQuestion;
  const path = `/servers/${encodeURIComponent(server)}`;
  const given = await exchange({
    ...{ endpoint, node, inHand, path },
    method: 'GET',
    headers: {},
    timeoutMs: 30_000,
    reads: true,
  });
  if (given.is !== 'answered')
    return { is: 'unreachable', reason: 'reason' in given ? given.reason : given.detail } satisfies BalancedServer;
  if (given.status === 404) return { is: 'unknown' } satisfies BalancedServer;
  const { mode, sessions } = jsonOrUndefined(given.body) as { mode: string; sessions: number };
  return (
    mode === 'drain' ? { is: 'server', mode, sessions } : { is: 'server', mode: 'ready' }
  ) satisfies BalancedServer;
};
