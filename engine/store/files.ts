import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  fstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { holdersOf, removeHolders, takeLock } from '../journal/lock.js';
import { thisHolder, type Holder } from '../journal/holder.js';
import { append } from '../journal/journal.js';
import { JournalDamaged, openForWriting } from '../journal/journal-file.js';
import { sha256 } from '../lib/hash.js';
import { MOST_OF, readFileWithin } from '../lib/bounded-file.js';
import { joinLines, wholeLines } from '../lib/lines.js';
import { withCheckedNames } from './checked-names.js';
import {
  FILES,
  isBlobName,
  isIntact,
  isName,
  JOURNAL,
  StoreUnavailable,
  TEXTS,
  type Locked,
  type RunStore,
  type StoreCode,
} from './run-store.js';

const POLL_MS = 100;
const PAUSE_MS = 5;
/** How long another process's append is waited for. It takes milliseconds, unless that process is stopped in the middle. */
const BUSY_MS = 10_000;

/** A journal that this writer has open: another one that appends replaces the file. */
interface Open {
  readonly fd: number;
  /** Of the file after our last append. */
  size: number;
  lines: number;
}

/**
 * The runs in a folder of this machine (`.runbook/runs`), in the format of engine/journal/run-folder.ts; the locks are beside it. A lock ends with its
 * process, as the inventory's does.
 */
export function openFileStore(folder: string): RunStore {
  const runs = linesIn(folder, 'run');
  const approvals = linesIn(join(dirname(folder), 'approvals'), 'approvals of');
  const pathOf = (run: string, ...names: readonly string[]): string => join(folder, run, ...names);
  const lockOf = (name: string): string => lockBeside(folder, name);

  return withCheckedNames({
    ...runs,
    approvals,
    listBlobs: (run) =>
      here(folder, `list the files of run ${run}`, () =>
        [...FILES.filter((name) => existsSync(pathOf(run, name))), ...textsIn(pathOf(run, TEXTS))]
          .sort()
          .map((name) => ({ name, sha256: sha256(readFileWithin(pathOf(run, name), MOST_OF.own)) })),
      ),
    putBlob: (run, name, bytes) =>
      here(folder, `write ${name} of run ${run}`, () => {
        const file = pathOf(run, name);
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        writeFileSync(`${file}.new`, bytes, { mode: 0o600, flush: true });
        renameSync(`${file}.new`, file);
      }),
    getBlob: (run, name) =>
      here(folder, `read ${name} of run ${run}`, () => {
        const file = pathOf(run, name);
        if (!existsSync(file)) return undefined;
        const bytes = readFileWithin(file, MOST_OF.own);
        if (isIntact(name, bytes)) return bytes;
        throw new StoreUnavailable('damaged', `read ${file}`, 'its bytes are not those of its name', 0);
      }),
    lock: (name, holder) => take(lockOf(name), holder),
    async takeOver(name, holder, seen) {
      const holders = holdersOf(lockOf(name));
      if (holders.length === 0) return { is: 'free' };
      if (holders.some(({ token }) => token === seen.token)) removeHolders(lockOf(name), [seen]);
      return take(lockOf(name), holder);
    },
    holderOf: (name) => Promise.resolve(holdersOf(lockOf(name))[0]),
    release: (name, holder) => {
      removeHolders(lockOf(name), [holder]);
      return Promise.resolve();
    },
    close: async () => {
      await runs.close();
      await approvals.close();
    },
  });
}

const lockBeside = (folder: string, name: string): string => join(dirname(folder), 'locks', name);

type Lines = Pick<RunStore, 'list' | 'read' | 'follow' | 'append' | 'close'>;

/** A journal of lines in each folder of this one; `of` names what has them, for messages. */
function linesIn(folder: string, of: string): Lines {
  const open = new Map<string, Open>();
  /** The numbers of our lines, by run. */
  const own = new Map<string, Set<number>>();
  const pathOf = (run: string, ...names: readonly string[]): string => join(folder, run, ...names);
  const writer = thisHolder('append', folder, Date.now());

  return {
    list: () =>
      here(folder, 'list runs', () =>
        runsIn(folder)
          .map((run) => ({ run, lines: linesOf(pathOf(run, JOURNAL)).length }))
          .filter(({ lines }) => lines > 0),
      ),
    read: (run, after) => here(folder, `read ${of} ${run}`, () => linesOf(pathOf(run, JOURNAL)).slice(after)),
    async *follow(run, after, signal) {
      const file = pathOf(run, JOURNAL);
      let at = after;
      let seen = 0;
      while (!signal.aborted) {
        const size = sizeOf(file);
        const lines = size === seen ? [] : linesOf(file).slice(at);
        seen = size;
        at += lines.length;
        yield* lines;
        await pause(POLL_MS, signal);
      }
    },
    append: (run, last, lines) =>
      exclusively(lockBeside(folder, `append.${run}`), writer, folder, `append to ${of} ${run}`, () => {
        const file = pathOf(run, JOURNAL);
        const numbers = own.get(run) ?? new Set();
        const current = stillOpen(open.get(run), file);
        const there = current?.lines ?? linesOf(file).length;
        const taken = there === last ? 0 : repeated(linesOf(file).slice(last), lines, (i) => numbers.has(last + 1 + i));
        if (last + taken !== there) return { is: 'fenced', last: there, taken };
        const rest = lines.slice(taken);
        if (rest.length === 0) return { is: 'appended', last: there };
        mkdirSync(pathOf(run), { recursive: true, mode: 0o700 });
        const journal = current ?? reopen(open.get(run), file, there);
        open.set(run, journal);
        own.set(run, numbers);
        write(journal, rest);
        for (const [i] of rest.entries()) numbers.add(there + 1 + i);
        return { is: 'appended', last: journal.lines };
      }),
    close: () => {
      for (const { fd } of open.values()) closeSync(fd);
      open.clear();
      return Promise.resolve();
    },
  };
}

/** The journal that we have open; undefined where the file is another one by now, or is not as we left it. */
function stillOpen(journal: Open | undefined, file: string): Open | undefined {
  if (journal === undefined || !existsSync(file)) return undefined;
  const { ino, size } = statSync(file);
  return ino === fstatSync(journal.fd).ino && size === journal.size ? journal : undefined;
}

function reopen(before: Open | undefined, file: string, lines: number): Open {
  if (before !== undefined) closeSync(before.fd);
  const { fd } = openForWriting(file, lines);
  return { fd, size: fstatSync(fd).size, lines };
}

/** All lines, or none. */
function write(journal: Open, lines: readonly Buffer[]): void {
  append(journal.fd, joinLines(lines));
  fsyncSync(journal.fd);
  journal.size = fstatSync(journal.fd).size;
  journal.lines += lines.length;
}

/** How many of the lines stand there already, written by us. */
function repeated(there: readonly Buffer[], lines: readonly Buffer[], isOurs: (index: number) => boolean): number {
  const other = lines.findIndex((line, i) => !isOurs(i) || there[i]?.equals(line) !== true);
  return other < 0 ? lines.length : other;
}

/** The whole lines of a journal. */
const linesOf = (file: string): readonly Buffer[] =>
  existsSync(file) ? wholeLines(readFileWithin(file, MOST_OF.journal)) : [];

const sizeOf = (file: string): number => (existsSync(file) ? statSync(file).size : 0);

const runsIn = (folder: string): readonly string[] =>
  existsSync(folder) ? readdirSync(folder).filter(isName).sort() : [];

const textsIn = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .map((name) => `${TEXTS}/${name}`)
        .filter(isBlobName)
    : [];

async function take(folder: string, holder: Holder): Promise<Locked> {
  const lock = await takeLock(folder, holder, () => sleep(PAUSE_MS));
  return 'takenBy' in lock ? { is: 'taken', by: lock.takenBy } : { is: 'held' };
}

/** Acts while no other process does the same. */
async function exclusively<T>(
  lockFolder: string,
  writer: Holder,
  folder: string,
  what: string,
  act: () => T,
): Promise<T> {
  const startMs = performance.now();
  for (;;) {
    const lock = await takeLock(lockFolder, { ...writer, token: randomUUID() }, () => sleep(PAUSE_MS));
    if ('takenBy' in lock) {
      const afterMs = performance.now() - startMs;
      const { pid, machine } = lock.takenBy;
      if (afterMs > BUSY_MS)
        throw new StoreUnavailable('busy', `${what} in ${folder}`, `process ${pid} of ${machine} appends`, afterMs);
      await sleep(PAUSE_MS);
      continue;
    }
    try {
      return await here(folder, what, act);
    } finally {
      lock.release();
    }
  }
}

/** Acts, and reports what the disk refused as the store's own error. */
async function here<T>(folder: string, what: string, act: () => T): Promise<T> {
  try {
    return await Promise.resolve(act());
  } catch (error) {
    const code = error instanceof JournalDamaged ? 'damaged' : CODES[(error as NodeJS.ErrnoException).code ?? ''];
    if (code === undefined) throw error;
    throw new StoreUnavailable(code, `${what} in ${folder}`, (error as Error).message, 0);
  }
}

const CODES: Readonly<Record<string, StoreCode>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EFBIG: 'full',
  EACCES: 'not-permitted',
  EPERM: 'not-permitted',
  EROFS: 'not-permitted',
  EIO: 'unreachable',
  ESTALE: 'unreachable',
};

/** Waits, but no longer than until the signal. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch {
    // The signal came.
  }
}
