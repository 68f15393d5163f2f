import { dirname, join } from 'node:path';
import { isEarlier } from '../../journal/earlier.js';
import { JournalDamaged } from '../../journal/journal-file.js';
import { endedWell } from '../../journal/last-event.js';
import { LockLost, RunFolderGone } from '../../journal/lock.js';
import type { Unreadable } from '../../journal/run-folder.js';
import { quote } from '../../lib/quote.js';
import { EXIT, refusal, type Refusal } from '../options/exit.js';
import { storeRefusal } from '../team/say-store.js';

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
 * What of this machine's disk is in the way, with `code`; undefined for an error that is none of these,
 * which is a bug. `place` is what was being written when the error names no path.
 */
export function ioRefusal(error: unknown, code: number, place: string): Refusal | undefined {
  if (error instanceof RunFolderGone)
    return refusal(
      code,
      `${error.path} is gone: it was deleted or moved while the run worked; this run stops, and its temporary changes stay in effect`,
      'Put the folder back, or a copy of it; then runbook resume, from a copy with --from-hosts',
    );
  if (error instanceof LockLost)
    return refusal(
      EXIT.locked,
      'another process has taken over this run; this one stops',
      'runbook runs   lists the runs and their processes',
    );
  if (error instanceof JournalDamaged) return damagedRefusal(code, error.message);
  const store = storeRefusal(error, EXIT.unreachable);
  if (store !== undefined) return store;
  const { code: errno = '', path = place } = error as NodeJS.ErrnoException;
  if (NO_ROOM.has(errno))
    return refusal(code, `no space left in ${path}`, 'Free some space. A run records each action before it acts.');
  const words = WORDS[errno];
  return words === undefined
    ? undefined
    : refusal(
        code,
        `${path}: ${words}`,
        'A run keeps its journal in .runbook/runs beside the inventory, and must be able to write there.',
      );
}

/** Why a run cannot be read, and what to do about it. */
export function unreadableRefusal(code: number, { folder, damage }: Unreadable): Refusal {
  if (!isEarlier(folder.journalFile)) return damagedRefusal(code, damage);
  const ended = endedWell(folder.journalFile);
  const runs = dirname(folder.path);
  const to = join(dirname(runs), 'earlier');
  return refusal(
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

/** Where a run's record is damaged, and what to do about it. */
const damagedRefusal = (code: number, damage: string): Refusal =>
  refusal(
    code,
    damage,
    'What that run did after this record, and what it left in place, is not certain. Check its hosts,',
    'then move its folder out of .runbook/runs: a command that is refused for it works again after that.',
  );
