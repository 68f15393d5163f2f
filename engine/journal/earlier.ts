import { headOf } from '../lib/bounded-file.js';

/** The version of the records, written in a journal's first. Raise it when an event or a field of an event changes its name or meaning. */
export const JOURNAL_VERSION = 4;

/** How a journal of this version begins, and how one of any version does: with or without checksums, with or without a version. */
const CURRENT = new RegExp(`^\\{"sum":"[0-9a-f]{16}","journal":${JOURNAL_VERSION},"seq":1,`);
const ANY = /^\{("sum":"[0-9a-f]{16}",)?("journal":\d+,)?"seq":1,/;
const HEAD_BYTES = 64;

/** True for the journal of another version. A damaged record is not taken for one: its whole head would have to be right. */
export const isEarlier = (journalFile: string): boolean => isEarlierHead(headOf(journalFile, HEAD_BYTES));

/** The same of a journal that is read already. */
export const beginsEarlier = (journal: Buffer): boolean => isEarlierHead(journal.toString('latin1', 0, HEAD_BYTES));

const isEarlierHead = (head: string): boolean => ANY.test(head) && !CURRENT.test(head);
