import { jsonOrUndefined, pointer } from '../../lib/json.js';
import type { TokenSignIn } from '../../machines/http/token-sign-in.js';
import { errorCode } from './error-code.js';

const LOCKED_OUT = 6000;

/** How the management API signs in (§4.1.authenticate, §5.1, §5.2); the other interfaces take user and password (§5.3). */
export const tokens: TokenSignIn = {
  api: 'management API',
  path: '/security/user/authenticate?raw=true',
  // The raw text, or where a server that knows no `raw` puts it.
  token({ body }) {
    const written = pointer(jsonOrUndefined(body) ?? null, '/data/token') ?? body.trim();
    return typeof written === 'string' && /^[\w.~+/=-]+$/.test(written) ? written : undefined;
  },
  // 50 wrong passwords in 300 s block the address for as long.
  lockedOutFor: (answer) => (answer.status === 403 && errorCode(answer) === LOCKED_OUT ? 'five minutes' : undefined),
  // By default it takes 300 (429, code 6001).
  requestsPerMinute: 280,
};
