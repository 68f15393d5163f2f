import type { Readable } from '../../facts/readable.js';
import { blocked, type Verdict } from '../../terms/change.js';

/** Why a service cannot use a file that it needs, and what to type; undefined where it can. */
export function wrongAccess(user: string, path: string, found: Readable, verb = 'read'): Verdict | undefined {
  if (found === 'yes') return undefined;
  if (found === 'no such user') return blocked(`there is no user ${user} on this host`);
  if (found.by === 'absent') return blocked(`there is no ${path}`, 'put it there, or correct its path');
  return found.barred === path
    ? blocked(`${user} may not ${verb} ${path}`, `give it to ${user}: chown ${user}: ${path}`)
    : blocked(
        `${user} may not enter ${found.barred}, so it cannot ${verb} ${path}`,
        `let ${user} enter the directory: chown, chgrp or chmod ${found.barred}`,
      );
}
