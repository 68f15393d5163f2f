import { dirname, join } from 'node:path';
import { isEarlier } from '../../journal/earlier.js';
import { JournalDamaged } from '../../journal/journal-file.js';
import { endedWell } from '../../journal/last-event.js';
import { LockLost, RunFolderGone } from '../../journal/lock.js';
import type { Unreadable } from '../../journal/run-folder.js';
import { quote } from '../../lib/quote.js';
import { EXIT, sorry } from '../options/exit.js';
import { sayStore } from '../team/say-store.js';

const NO_ROOM: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a file is where a directory is needed',
  EEXIST: 'a file is where a directory is needed',
  EISDIR: 'a directory is where a file is needed',
  EMFILE: 'too many open files (ulimit -n)',
  ENAMETOOLONG: 'the path is too long',
  EIO: 'the disk reports an error',
};

/**
 * Tells an operator what of this machine's disk is in the way, and gives `code` back; undefined for an error that is none of these,
 * which is a bug. `place` is what was being written when the error names no path.
 */
export function describeIoError(error: unknown, code: number, place: string): number | undefined {
  if (error instanceof RunFolderGone)
    return sorry(
      code,
      `${error.path} is gone: it was deleted or moved while the run worked; this run stops, and its temporary changes stay in effect`,
      'Put the folder back, or a copy of it; then runbook resume, from a copy with --from-hosts',
    );
  if (error instanceof LockLost)
    return sorry(
      EXIT.locked,
      'another process has taken over this run; this one stops',
      'runbook runs   lists the runs and their processes',
    );
  if (error instanceof JournalDamaged) return sayDamaged(code, error.message);
  const store = sayStore(error, EXIT.unreachable);
  if (store !== undefined) return store;
  const { code: errno = '', path = place } = error as NodeJS.ErrnoException;
  if (NO_ROOM.has(errno))
    return sorry(code, `no space left in ${path}`, 'Free some space. A run records each action before it acts.');
  const words = WORDS[errno];
  return words === undefined
    ? undefined
    : sorry(
        code,
        `${path}: ${words}`,
        'A run keeps its journal in .runbook/runs beside the inventory, and must be able to write there.',
      );
}

/** Says why a run cannot be read, and what to do about it. */
export function sayUnreadable(code: number, { folder, damage }: Unreadable): number {
  if (!isEarlier(folder.journalFile)) return sayDamaged(code, damage);
  const ended = endedWell(folder.journalFile);
  const runs = dirname(folder.path);
  const to = join(dirname(runs), 'earlier');
  return sorry(
    code,
    `the run ${folder.id} was made by another version of runbook${ended ? '; this version cannot show it' : ' and did not end; this version cannot continue it'}`,
    ...(ended
      ? [`its log: ${join(folder.path, 'run.log')}`]
      : [
          'Close it with the version that made it:  runbook close',
          'or check its hosts and services yourself, then move its folder away:',
          `  mkdir -p ${quote([to])} && mv ${quote([folder.path, `${to}/`])}`,
        ]),
  );
}

/** Says where a run's record is damaged, and what to do about it. */
export const sayDamaged = (code: number, damage: string): number =>
  sorry(
    code,
    damage,
    'What that run did after this record, and what it left in place, is not certain. Check its hosts,',
    'then move its folder out of .runbook/runs: a command that is refused for it works again after that.',
  );
