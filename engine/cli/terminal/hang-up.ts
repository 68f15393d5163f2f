import { closeSync, openSync } from 'node:fs';

let isWatched = false;
let isLeft = false;

/** Where standard input is a terminal that is read: its end is a hang-up, also where no signal of it reaches this process. */
export function watchTerminal(): void {
  if (isWatched) return;
  isWatched = true;
  process.stdin.once('end', () => process.emit('SIGHUP'));
  // What sets the modes of a terminal that is gone fails: it is no matter of the run.
  process.stdin.on('error', () => undefined);
}

/**
 * After a hang-up the terminal may be gone. Node restores its modes as the process ends and aborts where that fails; descriptors that are
 * another file by then it leaves alone.
 */
export function leaveTerminalAtExit(): void {
  if (isLeft) return;
  isLeft = true;
  process.once('exit', () => {
    for (const fd of [0, 1, 2]) {
      closeSync(fd);
      openSync('/dev/null', 'r+');
    }
  });
}
