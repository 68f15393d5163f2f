import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hashOf, isOtherCopy } from '../../engine/cli/run/choice.js';
import { Refusal } from '../../engine/cli/options/exit.js';
import { readPlanFile, writePlanFile } from '../../engine/cli/plan/plan-file.js';
import { markerText, readMarker, recordsOfOlder, type HostMarker } from '../../engine/journal/host-marker.js';
import { sumsIn } from '../../engine/journal/journal-file.js';
import { openJournal } from '../../engine/journal/journal.js';
import { endedWell } from '../../engine/journal/last-event.js';
import {
  createRunFolder,
  eventsFor,
  findCopy,
  inspectEvents,
  runsOf,
  writeCopy,
  type RunCopy,
  type RunFolder,
} from '../../engine/journal/run-folder.js';
import type { Event } from '../../engine/terms/event.js';
import type { TaskId } from '../../engine/terms/task.js';
import { compare, type Judged, type Target } from './target.js';

/** A run of some steps on two hosts, with a text that lies beside the journal. */
interface Recording {
  readonly folder: RunFolder;
  readonly copy: RunCopy;
  readonly older: { readonly journal: Buffer; readonly end: Buffer };
  readonly olderCopy: Buffer;
  /** As the hosts have it after the last action. */
  readonly marker: HostMarker;
}

const task = (n: number): TaskId => ({ step: `Indexer/Step ${n}`, on: { host: n % 2 === 0 ? 'a' : 'b' } });
const change = (summary: string) => ({
  summary,
  sign: '~' as const,
  actions: [{ do: 'move' as const, from: '/a', to: '/b' }] as const,
  touches: [],
  predicts: [],
});

const stepEvents = (n: number): readonly Event[] => [
  {
    e: 'intent',
    task: task(n),
    name: `Step ${n}`,
    attempt: 1,
    change: change('x'.repeat(n === 3 ? 5000 : 20)),
    marks: {},
  },
  { e: 'effect', task: task(n), attempt: 1, index: 0, outcome: { is: 'applied' }, met: true },
  { e: 'settled', task: task(n), name: `Step ${n}`, as: 'done', changed: true, tookMs: n },
];

const copyOf = (inventory: string, playbook: string): RunCopy => ({
  version: 1,
  playbook: [{ file: '/work/upgrade.yaml', text: `playbook: ${playbook}\nplays: []\n` }],
  inventory: [{ file: inventory, text: 'hosts: { a: {}, b: {} }\n' }],
  cwd: '/work',
  extraVars: {},
});

function record(inventory: string, playbook: string, ended: boolean): Recording {
  const older = copyOf(inventory, playbook);
  const folder = createRunFolder(runsOf(inventory), 0, older);
  const olderCopy = readFileSync(join(folder.path, 'copy.json'));
  const copy = { ...older, inventory: older.inventory.map((one) => ({ ...one, text: `${one.text}# edited\n` })) };
  writeCopy(folder, copy);
  const journal = openJournal({ nowMs: () => 5, file: folder.journalFile, blobs: folder.blobs });
  const files = () => ({ journal: readFileSync(folder.journalFile), end: readFileSync(`${folder.journalFile}.end`) });
  const started = { run: folder.id, verb: 'apply', playbook, inventory, hosts: 2, hash: hashOf(copy) } as const;
  journal.emit({ e: 'run-started', ...started });
  for (const event of stepEvents(1)) journal.emit(event);
  const before = files();
  for (const event of [2, 3, 4].flatMap(stepEvents)) journal.emit(event);
  journal.emit({ e: 'run-ended', as: ended ? 'done' : 'failed', untouched: [], notRestored: [], tookMs: 9 });
  const synced = journal.synced() ?? { first: '', seq: 0, sum: '' };
  journal.close();
  return { folder, copy, older: before, olderCopy, marker: { ...synced, run: folder.id, step: 'Indexer/Step 4' } };
}

function place(file: string, bytes: Buffer | undefined): void {
  if (bytes === undefined) rmSync(file, { force: true });
  else writeFileSync(file, bytes);
}

/** Judges with damaged bytes in a file's place, and puts the right ones back. */
function replaced<T>(file: string, bytes: Buffer | undefined, judge: () => T): T {
  const right = readFileSync(file);
  place(file, bytes);
  try {
    return judge();
  } finally {
    writeFileSync(file, right);
  }
}

const reveal = (): undefined => undefined;

/** The readers of a run's folder: what lists it, what goes on with it, and what compares it with the hosts. */
function judgeRun({ folder, marker }: Recording, written: unknown, isDone: boolean): Judged {
  // A run that seems to have ended is not asked further.
  if (endedWell(folder.journalFile)) return isDone ? 'no effect' : 'accepted';
  const { events, damage } = inspectEvents(folder);
  if (damage !== undefined) return 'noticed';
  if (recordsOfOlder(sumsIn(folder.journalFile), marker) !== undefined) return 'noticed';
  return compare([events, eventsFor(folder, reveal)], [written, written]);
}

/** The files of runs below a folder: of one that failed, and of one that is done; each also as another run had it. */
export function runFiles(root: string): readonly Target[] {
  const inventory = join(root, 'one', 'inventory.yaml');
  for (const name of ['one', 'two']) mkdirSync(join(root, name));
  const [failed, done] = [record(inventory, 'upgrade', false), record(inventory, 'upgrade', true)];
  const other = record(inventory, 'rollback', false);
  const journalOf = (name: string, run: Recording, isDone: boolean): Target => {
    const written = inspectEvents(run.folder).events;
    return {
      name,
      source: {
        now: readFileSync(run.folder.journalFile),
        other: readFileSync(other.folder.journalFile),
        older: run.older.journal,
      },
      judge: (bytes) => replaced(run.folder.journalFile, bytes, () => judgeRun(run, written, isDone)),
    };
  };
  return [
    journalOf('journal', failed, false),
    journalOf('journal of a run that is done', done, true),
    blobOf(failed),
    endOf(failed, other),
    journalAndEnd(failed, other),
    copyTarget(failed, other),
    hostMarkerOf(failed, other),
  ];
}

/** A large text beside the journal. */
function blobOf(run: Recording): Target {
  const written = inspectEvents(run.folder).events;
  const sha = /"\$blob":"(\w+)"/.exec(readFileSync(run.folder.journalFile, 'utf8'))?.[1] ?? '';
  const file = join(run.folder.path, 'blobs', sha);
  return {
    name: 'text beside the journal',
    source: { now: readFileSync(file), other: Buffer.from('y'.repeat(5000)) },
    judge: (bytes) => replaced(file, bytes, () => judgeRun(run, written, false)),
  };
}

/** The marker of the end: by itself it says nothing that the journal does not. */
function endOf(run: Recording, other: Recording): Target {
  const written = inspectEvents(run.folder).events;
  const file = `${run.folder.journalFile}.end`;
  return {
    name: 'end marker',
    source: { now: readFileSync(file), other: readFileSync(`${other.folder.journalFile}.end`), older: run.older.end },
    judge: (bytes) => replaced(file, bytes, () => judgeRun(run, written, false)),
  };
}

/** Two markers that disagree: the journal was set back with its end marker, which is damaged besides; the hosts have the newer one. */
function journalAndEnd(run: Recording, other: Recording): Target {
  const written = inspectEvents(run.folder).events;
  const file = `${run.folder.journalFile}.end`;
  return {
    name: 'end marker of a journal that was set back, beside a host',
    source: { now: run.older.end, other: readFileSync(`${other.folder.journalFile}.end`), older: readFileSync(file) },
    judge: (bytes) =>
      replaced(run.folder.journalFile, run.older.journal, () =>
        replaced(file, bytes, () => judgeRun(run, written, false)),
      ),
  };
}

function copyTarget({ folder, copy, olderCopy }: Recording, other: Recording): Target {
  const file = join(folder.path, 'copy.json');
  const past = inspectEvents(folder).events;
  return {
    name: "run's copy",
    source: { now: readFileSync(file), other: readFileSync(join(other.folder.path, 'copy.json')), older: olderCopy },
    judge: (bytes) =>
      replaced(file, bytes, () => {
        const read = findCopy(folder);
        return read === undefined || isOtherCopy(read, past) ? 'noticed' : compare(read, copy);
      }),
  };
}

/** The marker on a host, beside a journal that is whole: it may be missed, never say something else. */
function hostMarkerOf({ folder, marker, older }: Recording, other: Recording): Target {
  const bytesOf = (one: HostMarker): Buffer => Buffer.from(markerText(one));
  const sums = sumsIn(folder.journalFile);
  return {
    name: 'marker on a host',
    source: {
      now: bytesOf(marker),
      other: bytesOf(other.marker),
      older: bytesOf({ ...marker, seq: 3, sum: sumOf(older.journal) }),
    },
    judge: (bytes) => {
      const read = bytes === undefined ? undefined : readMarker(bytes.toString('utf8'));
      if (read === undefined || read.first !== marker.first) return 'no effect';
      if (recordsOfOlder(sums, read) !== undefined) return 'noticed';
      return sums[read.seq - 1] === read.sum ? 'no effect' : 'accepted';
    },
  };
}

const sumOf = (journal: Buffer): string =>
  /"sum":"(\w+)"/.exec(journal.toString('utf8').trimEnd().split('\n').at(-1) ?? '')?.[1] ?? '';

/** A plan that was approved. Another plan in its place is that plan: it has an id and a digest of its own, and approvals are of these. */
export function planFile(root: string): Target {
  const file = join(root, 'change.plan');
  const planOf = (page: string): Buffer => {
    writePlanFile(file, {
      hash: `${page}abcdef`,
      files: { '/work/upgrade.yaml': 'a1' },
      argv: ['upgrade.yaml'],
      cwd: dirname(file),
      atMs: 1,
      untilMs: 2,
      steps: [],
      page,
      detail: `${page} of 3 hosts\n  ~ a  Step 1: x\n`,
      document: { sections: [] } as never,
    });
    const bytes = readFileSync(file);
    rmSync(file);
    return bytes;
  };
  const now = planOf('READY');
  writeFileSync(file, now);
  const written = readPlanFile(file);
  return {
    name: 'plan file',
    source: { now, other: Buffer.from('playbook: other\nplays: []\n') },
    judge: (bytes) =>
      replaced(file, bytes, () => {
        try {
          return compare(readPlanFile(file), written);
        } catch (error) {
          if (error instanceof Refusal) return 'noticed';
          throw error;
        }
      }),
  };
}
