import type { Endpoint } from '../../terms/inventory.js';
import type { Clock, Secrets } from '../../terms/machine.js';
import { showText } from '../../terms/secret.js';
import { isWebPage } from '../../lib/error-text.js';
import { getOrCreate } from '../../lib/get-or-create.js';
import { jsonOrUndefined } from '../../lib/json.js';
import type { Address } from './endpoint-route.js';
import type { HttpClient, HttpResult } from './http-client.js';
import { toPatient } from './http-answer.js';
import { failed, type Failed } from '../machine.js';
import { meetSecrets } from '../secrets.js';
import type { TokenSignIn } from './token-sign-in.js';

/** The header that signs a request in (none for `auth: none`), or what came of signing in. */
export type Signed =
  | { readonly is: 'signed'; readonly headers: Readonly<Record<string, string>>; readonly token?: string }
  | Failed
  | HttpResult;

export interface SignIn {
  headers(endpoint: Endpoint, address: Address): Promise<Signed>;
  /** This token was refused: the next who asks signs in again, once for all who wait. */
  expire(endpoint: Endpoint, address: Address, token: string): void;
  /** The server does not accept the user and the password: there is no further attempt for a minute. */
  deny(endpoint: Endpoint, address: Address): Failed;
}

/** Wrong passwords can lock an address out; once a minute is well below what does, however many tasks are waiting. */
const denialMs = 60_000;
const signInLimitMs = 30_000;

interface State {
  token?: string;
  underWay?: Promise<Signed> | undefined;
  denied?: { readonly untilMs: number; readonly failure: Failed };
}

/** Signs in as the inventory says: by token or in each request. Tokens stay in here. */
export function createSignIn({
  client,
  secrets,
  clock,
  tokens,
}: {
  readonly client: HttpClient;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly tokens?: TokenSignIn | undefined;
}): SignIn {
  const states = new Map<string, State>();
  const stateOf = (endpoint: Endpoint, address: Address): State =>
    getOrCreate(states, `${endpoint.name} ${address.url}`, () => ({}));

  async function basic(
    endpoint: Endpoint,
  ): Promise<{ readonly is: 'signed'; readonly headers: Readonly<Record<string, string>> } | Failed> {
    const password = await meetSecrets(endpoint.password ?? '', secrets);
    if (password.is === 'failed') return failed('no-access', password.reason, password.hint);
    const pair = `${endpoint.user ?? ''}:${typeof password.value === 'string' ? password.value : ''}`;
    return { is: 'signed', headers: { authorization: `Basic ${Buffer.from(pair, 'utf8').toString('base64')}` } };
  }

  async function byToken(endpoint: Endpoint, address: Address, state: State): Promise<Signed> {
    if (tokens === undefined) return failed('unreadable', `${endpoint.name}: this platform has no sign-in by token`);
    const credentials = await basic(endpoint);
    if (credentials.is === 'failed') return credentials;
    const answer = await toPatient(clock, () =>
      client.send({
        target: address.target,
        method: 'POST',
        path: `${address.base}${tokens.path}`,
        headers: credentials.headers,
        timeoutMs: signInLimitMs,
        fresh: false,
      }),
    );
    if (answer.is !== 'answered') return answer;
    if (answer.status === 401) return deny(endpoint, address);
    const token = answer.status === 200 ? tokens.token(answer) : undefined;
    if (token === undefined) return noToken(endpoint, address, answer, tokens);
    state.token = token;
    return bearer(token);
  }

  function deny(endpoint: Endpoint, address: Address): Failed {
    const secret = showText(endpoint.password ?? '');
    const failure = failed(
      'no-access',
      `${endpoint.name} (${address.url}) does not accept user "${endpoint.user ?? ''}" with its password (401)`,
      `check endpoints.${endpoint.name}: user, and password ${secret.startsWith('{{') ? secret : ''}; too many wrong tries block this address`,
    );
    stateOf(endpoint, address).denied = { untilMs: clock.nowMs() + denialMs, failure };
    return failure;
  }

  return {
    deny,
    async headers(endpoint, address) {
      if (endpoint.auth === 'none') return { is: 'signed', headers: {} };
      const state = stateOf(endpoint, address);
      if (state.denied !== undefined && clock.nowMs() < state.denied.untilMs) return state.denied.failure;
      if (endpoint.auth === 'basic') return basic(endpoint);
      if (state.token !== undefined) return bearer(state.token);
      state.underWay ??= byToken(endpoint, address, state).finally(() => (state.underWay = undefined));
      return state.underWay;
    },
    expire(endpoint, address, token) {
      const state = stateOf(endpoint, address);
      // Whoever comes late with an old token must not throw a new one away.
      if (state.token === token) delete state.token;
    },
  };
}

const bearer = (token: string): Signed => ({ is: 'signed', headers: { authorization: `Bearer ${token}` }, token });

type Answered = Extract<HttpResult, { is: 'answered' }>;

/** "Not ready" and the like are answers as any other; a page of something else is a wrong address. */
function noToken(endpoint: Endpoint, address: Address, answer: Answered, { api }: TokenSignIn): Signed {
  if (answer.status !== 200 && jsonOrUndefined(answer.body) !== undefined) return answer;
  if (answer.status >= 500) return answer;
  const what = isWebPage(answer.body) ? 'a web page' : 'no token';
  return failed(
    'unreadable',
    `${endpoint.name} (${address.url}) answers ${answer.status} and ${what} to the sign-in`,
    `is endpoints.${endpoint.name} the address of the ${api}?`,
  );
}
