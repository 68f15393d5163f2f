import { closeSync, openSync, readSync } from 'node:fs';

/** How the first record began before records had checksums. */
const HEAD = '{"seq":1,"atMs":';

/** True for the journal of a version before checksums. A damaged record is not taken for one: its whole head would have to be gone. */
export function isEarlier(journalFile: string): boolean {
  let fd: number;
  try {
    fd = openSync(journalFile, 'r');
  } catch {
    return false;
  }
  try {
    const bytes = Buffer.alloc(HEAD.length);
    readSync(fd, bytes, 0, bytes.length, 0);
    return bytes.toString('latin1') === HEAD;
  } finally {
    closeSync(fd);
  }
}
