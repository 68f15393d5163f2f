import { headOf } from '../lib/bounded-file.js';
import { sumIn } from '../lib/sealed.js';

/** The version of the records, written in a journal's first. Raise it when an event or a field of an event changes its name or meaning. */
export const JOURNAL_VERSION = 4;
/** The version before has the same events; its records do not follow one another. Such a run is shown, closed and rolled back, not resumed. */
const UNCHAINED = 3;

const headOfVersion = (version: number): RegExp => new RegExp(`^\\{"sum":"[0-9a-f]{16}","journal":${version},"seq":1,`);

/** How journals begin that can be read, and how one of any version does: with or without checksums, with or without a version. */
const READ = [JOURNAL_VERSION, UNCHAINED].map(headOfVersion);
const ANY = /^\{("sum":"[0-9a-f]{16}",)?("journal":\d+,)?"seq":1,/;
const HEAD_BYTES = 64;

/** True for the journal of a version that cannot be read. A damaged record is not taken for one: its whole head would have to be right. */
export const isEarlier = (journalFile: string): boolean => isEarlierHead(headOf(journalFile, HEAD_BYTES));

/** The same of a journal that is read already. */
export const beginsEarlier = (journal: Buffer): boolean => isEarlierHead(journal.toString('latin1', 0, HEAD_BYTES));

const isEarlierHead = (head: string): boolean => ANY.test(head) && !READ.some((known) => known.test(head));

/** Whether the checksum of each record covers that record alone, as the version before this one wrote them. */
export const isUnchained = (journalFile: string): boolean => isUnchainedHead(headOf(journalFile, HEAD_BYTES));

/** The same of a journal that is read already. */
export const beginsUnchained = (journal: Buffer): boolean => isUnchainedHead(journal.toString('latin1', 0, HEAD_BYTES));

const isUnchainedHead = (head: string): boolean => headOfVersion(UNCHAINED).test(head);

/** What the record after a line of this journal follows: the checksum of that line, or nothing where records do not follow one another. */
export const linkIn = (journal: Buffer): ((line: Buffer) => string) => (beginsUnchained(journal) ? () => '' : sumIn);
