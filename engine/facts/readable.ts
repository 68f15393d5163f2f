import { quoteOne } from '../lib/quote.js';
import { answer, unreadable } from './answer.js';
import type { HostFact } from './kind.js';

/** May a user of the host read a file, or a directory? Directories on the way and ACLs count, for the host itself tries. */
export interface ReadableQuestion {
  readonly user: string;
  readonly path: string;
  /** Also write it. */
  readonly write?: boolean;
}

/** Where it may not: the first on the way that stops the user, or the path itself. */
export type Readable = 'yes' | 'no such user' | { readonly barred: string; readonly by: 'absent' | 'rights' };

const questionOf = (key: string): ReadableQuestion => JSON.parse(key) as ReadableQuestion;

/** What the user tries: to enter each directory on the way, then to use what is there. */
const TRIED = `p=$1 d= r=\${1#/}
while [ "$r" != "\${r#*/}" ]; do
  d=$d/\${r%%/*} r=\${r#*/}
  [ -e "$d" ] || exit 3
  [ -x "$d" ] || { printf %s "$d"; exit 1; }
done
[ -e "$p" ] || exit 3
[ -r "$p" ] && { [ "$2" != write ] || [ -w "$p" ]; } && { [ ! -d "$p" ] || [ -x "$p" ]; } || { printf %s "$p"; exit 1; }`;

export const readable: HostFact<ReadableQuestion, Readable> = {
  name: 'readable',
  key: ({ user, path, write }) => JSON.stringify({ user, path, ...(write === true ? { write } : {}) }),
  sh: (key) => {
    const { user, path, write } = questionOf(key);
    return `u=${quoteOne(user)}
id -u -- "$u" >/dev/null || exit 4
set -- sh -c ${quoteOne(TRIED)} sh ${quoteOne(path)} ${write === true ? 'write' : 'read'}
if [ "$(id -un)" = "$u" ]; then "$@"; exit; fi
[ "$(id -u)" = 0 ] || exit 5
if command -v runuser >/dev/null; then runuser -u "$u" -- "$@"; exit; fi
command -v setpriv >/dev/null || exit 6
setpriv --reuid "$u" --regid "$(id -g -- "$u")" --init-groups "$@"`;
  },
  parse: ({ exit, stdout }, key) => {
    const { user, path } = questionOf(key);
    if (exit === 0) return answer<Readable>('yes');
    if (exit === 1) return answer<Readable>({ barred: stdout || path, by: 'rights' });
    if (exit === 3) return answer<Readable>({ barred: path, by: 'absent' });
    if (exit === 4) return answer<Readable>('no such user');
    return unreadable(
      `what ${user} may read cannot be tried`,
      exit === 5 ? 'only root can try it for another user (ssh.become_user)' : 'runuser is not there, or refuses',
    );
  },
};
