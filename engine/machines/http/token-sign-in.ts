import type { HttpResult } from './http-client.js';

type Answered = Extract<HttpResult, { is: 'answered' }>;

/** How endpoints with `auth: token` sign in: what a platform says of its API. */
export interface TokenSignIn {
  /** What the API is called, for a hint where something else answers. */
  readonly api: string;
  /** Where a POST with user and password (Basic) is answered by a token. */
  readonly path: string;
  /** The token of an answer with status 200; undefined where it holds none. */
  token(answer: Answered): string | undefined;
  /** For how long the API has locked this address out, in words ("five minutes"); undefined for any other answer. */
  lockedOutFor(answer: Answered): string | undefined;
  /** What one address takes; some of what it allows is left to people. */
  readonly requestsPerMinute: number;
}
