import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { MOST_OF } from '../lib/bounded-file.js';
import { wholeLines } from '../lib/lines.js';
import type { Recorded } from '../terms/event.js';
import { readLine } from './journal-file.js';
import { linkIn } from './earlier.js';
import type { RunFolder } from './run-folder.js';

/**
 * A journal that another process writes: each call gives the records that were added since the last one. A line without its end is being
 * written now. After a damaged line there is nothing more. The file is opened each time: a resume replaces it by a copy that begins alike.
 */
export function tailJournal({ journalFile, blobs }: RunFolder): () => readonly Recorded[] {
  let at = 0;
  let damaged = false;
  let before = '';
  let linkOf: ((line: Buffer) => string) | undefined;
  return () => {
    const bytes = damaged ? Buffer.alloc(0) : readFrom(journalFile, at);
    const events: Recorded[] = [];
    for (const line of wholeLines(bytes)) {
      const recorded = readLine(line, { blobs, reveal: undefined, before });
      damaged = recorded === undefined;
      if (recorded === undefined) break;
      linkOf ??= linkIn(line);
      before = linkOf(line);
      events.push(recorded);
      at += line.length + 1;
    }
    return events;
  };
}

function readFrom(file: string, at: number): Buffer {
  if (!existsSync(file)) return Buffer.alloc(0);
  const size = statSync(file).size;
  if (size <= at) return Buffer.alloc(0);
  const fd = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(Math.min(size - at, MOST_OF.journal));
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, at));
  } finally {
    closeSync(fd);
  }
}
