import type { Endpoint, Inventory } from '../../terms/inventory.js';
import type { Clock } from '../../terms/machine.js';
import type { EndpointRequest, Exchanged } from './endpoint-request.js';
import { type Address, routeTo } from './endpoint-route.js';
import { saying, toPatient } from './http-answer.js';
import type { HttpClient, HttpResult, HttpSend } from './http-client.js';
import type { Zones } from '../executor.js';
import { failed } from '../machine.js';
import { createPace } from './pace.js';
import type { SignIn } from './sign-in.js';
import type { TokenSignIn } from './token-sign-in.js';

export interface Exchange {
  /** Asks the endpoint's addresses in order until one answers. Never rejects. */
  (request: EndpointRequest): Promise<Exchanged>;
}

/** One request to an endpoint: routed, signed in, patient, and told in words when it comes to nothing. */
export function createExchange(parts: {
  readonly inventory: Inventory;
  readonly client: HttpClient;
  readonly signIn: SignIn;
  readonly tokens?: TokenSignIn | undefined;
  readonly clock: Clock;
  readonly zones?: Zones | undefined;
}): Exchange {
  const { inventory, client, signIn, tokens, clock, zones } = parts;
  const pace = createPace(clock);
  /** By a worker where the address is a host's that has a zone. */
  function askAddress(endpoint: Endpoint, address: Address, request: EndpointRequest): Promise<Exchanged> {
    const zone = zones && inventory.hosts.find(({ name }) => name === address.host)?.zone;
    if (zone === undefined || zones === undefined) return attemptTwice(endpoint, address, request);
    return zones.executorOf(zone).exchange({ ...request, node: address.host });
  }

  async function attempt(endpoint: Endpoint, address: Address, request: EndpointRequest): Promise<Exchanged> {
    const send = sendOf(address, request);
    if (send === undefined) return failed('unreadable', `"${request.path}" is no path`, 'a path begins with "/"');
    let renewed = false;
    for (;;) {
      const signed = await signIn.headers(endpoint, address);
      if (signed.is !== 'signed') return blocked(endpoint, address, signed, tokens);
      const answer = await toPatient(clock, async () => {
        if (endpoint.auth === 'token' && tokens) await pace(address.url, tokens.requestsPerMinute);
        await request.mayAct?.();
        return client.send({ ...send, headers: { ...send.headers, ...signed.headers } });
      });
      const isAnswer = answer.is !== 'answered' || answer.status !== 401 || endpoint.auth === 'none';
      if (isAnswer || request.relayed === true) return blocked(endpoint, address, answer, tokens);
      if (signed.token === undefined) return signIn.deny(endpoint, address);
      signIn.expire(endpoint, address, signed.token);
      if (renewed)
        return failed(
          'no-access',
          `${endpoint.name} (${address.url}) refuses a token that it has just given (401)`,
          'do the clocks of its nodes agree?',
        );
      renewed = true;
    }
  }

  /** A kept connection can have died unnoticed: who only reads asks once more. */
  async function attemptTwice(endpoint: Endpoint, address: Address, request: EndpointRequest): Promise<Exchanged> {
    const first = await attempt(endpoint, address, request);
    return first.is === 'lost' && first.why === 'connection' && request.reads
      ? attempt(endpoint, address, request)
      : first;
  }

  return async (request) => {
    const endpoint = Object.hasOwn(inventory.endpoints, request.endpoint)
      ? inventory.endpoints[request.endpoint]
      : undefined;
    if (endpoint === undefined)
      return failed(
        'unreadable',
        `there is no endpoint "${request.endpoint}"`,
        'name it under `endpoints` in the inventory',
      );
    const { addresses, skipped } = routeTo(endpoint, request.node, inventory, request.inHand);
    if (addresses.length === 0)
      return failed('unreadable', `endpoint "${endpoint.name}" has no address on ${request.node ?? 'any host'}`);
    const misses: Miss[] = [];
    for (const address of addresses) {
      const result = await askAddress(endpoint, address, request);
      // What was sent and got no answer may have happened: another node must not be asked to do it again.
      const isMiss =
        result.is === 'unreachable' || result.is === 'untrusted' || (result.is === 'lost' && request.reads);
      if (!isMiss) return result;
      misses.push(result);
    }
    return inOne(endpoint, misses, skipped);
  };
}

type Miss = Extract<HttpResult, { is: 'unreachable' | 'untrusted' | 'lost' }>;

/** Several addresses that did not answer, as one result. */
function inOne(endpoint: Endpoint, misses: readonly Miss[], skipped: readonly string[]): Miss {
  const reasons = [...new Set(misses.map((miss) => (miss.is === 'lost' ? miss.detail : miss.reason)))].join('; ');
  const left = skipped.length === 0 ? '' : ` (not asked, being worked on: ${skipped.join(', ')})`;
  const reason = `${endpoint.name}: ${reasons}${left}`;
  const untrusted = misses.find((miss) => miss.is === 'untrusted');
  return untrusted === undefined ? { is: 'unreachable', reason } : { is: 'untrusted', reason, hint: untrusted.hint };
}

/** Too many wrong passwords lock an address out; said as such, it is not mistaken for a missing permission. */
function blocked(endpoint: Endpoint, { url }: Address, result: Exchanged, tokens: TokenSignIn | undefined): Exchanged {
  if (result.is !== 'answered') return result;
  const lockedOutFor = tokens?.lockedOutFor(result);
  if (lockedOutFor === undefined) return result;
  return failed(
    'no-access',
    `${endpoint.name} (${url}) has locked this address out after too many wrong passwords (${saying(result)})`,
    `wait ${lockedOutFor}, and correct the password first`,
  );
}

function sendOf({ target, base }: Address, request: EndpointRequest): HttpSend | undefined {
  const path = `${base}${request.path}`;
  if (!request.path.startsWith('/') || !URL.canParse(path, 'http://any')) return undefined;
  const { pathname, search } = new URL(`http://any${path}`);
  const { method, headers, timeoutMs, reads, body } = request;
  return {
    target,
    method,
    path: `${pathname}${search}`,
    headers,
    timeoutMs,
    fresh: !reads,
    ...(body === undefined ? {} : { body }),
  };
}
