import { quoteOne } from '../lib/quote.js';
import { answer, unreadable } from './answer.js';
import type { HostFact } from './kind.js';

/** May a user of the host read a file? Directories on the way and ACLs count, for the host itself tries. */
export interface ReadableQuestion {
  readonly user: string;
  readonly path: string;
}
export type Readable = 'yes' | 'no' | 'no such user';

const questionOf = (key: string): ReadableQuestion => JSON.parse(key) as ReadableQuestion;

export const readable: HostFact<ReadableQuestion, Readable> = {
  name: 'readable',
  key: ({ user, path }) => JSON.stringify({ user, path }),
  sh: (key) => {
    const { user, path } = questionOf(key);
    return `u=${quoteOne(user)} p=${quoteOne(path)}
id -u -- "$u" >/dev/null || exit 4
if [ "$(id -un)" = "$u" ]; then test -r "$p"; exit; fi
[ "$(id -u)" = 0 ] || exit 5
if command -v runuser >/dev/null; then runuser -u "$u" -- test -r "$p"; exit; fi
command -v setpriv >/dev/null || exit 6
setpriv --reuid "$u" --regid "$(id -g -- "$u")" --init-groups test -r "$p"`;
  },
  parse: ({ exit }, key) => {
    const { user } = questionOf(key);
    if (exit === 0 || exit === 1) return answer<Readable>(exit === 0 ? 'yes' : 'no');
    if (exit === 4) return answer<Readable>('no such user');
    return unreadable(
      `what ${user} may read cannot be tried`,
      exit === 5 ? 'only root can try it for another user (ssh.become_user)' : 'runuser is not there, or refuses',
    );
  },
};
