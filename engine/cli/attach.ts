import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { foldAll } from '../journal/fold.js';
import { holdersOf, lockFolder } from '../journal/lock.js';
import { inspectEvents, type RunFolder, type Runs } from '../journal/run-folder.js';
import { EXIT, exitOf, invalid } from './exit.js';
import { parseFlags } from './flags.js';
import { pickRun, show } from './show.js';
import { runsFor } from './unfinished.js';

const POLL_MS = 200;

/** `runbook attach [RUN]`: follows a run of another process to its end, and ends as that does. Ctrl-C ends only the following. */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags('attach', argv);
  if ('mistake' in flags) return invalid(flags.mistake);
  const folder = pickRun(flags);
  if (typeof folder === 'number') return folder;
  await follow(folder, runsFor(flags));
  const shown = await show(folder, flags);
  if (shown !== EXIT.done) return shown;
  const { ended } = foldAll(inspectEvents(folder).events.map(({ event }) => event));
  return ended === undefined ? EXIT.interrupted : exitOf(ended.as);
}

/** Its log from the start, line by line as it grows, for as long as a process works with the inventory. */
async function follow({ path }: RunFolder, runs: Runs): Promise<void> {
  const file = join(path, 'run.log');
  const isWorking = (): boolean => holdersOf(lockFolder(runs)).length > 0;
  while (!existsSync(file)) {
    if (!isWorking()) return;
    await pause(POLL_MS);
  }
  const log = await open(file);
  try {
    for (;;) {
      // Asked before the rest is read: what is written until then is not missed.
      const goesOn = isWorking();
      await copyRest(log);
      if (!goesOn) return;
      await pause(POLL_MS);
    }
  } finally {
    await log.close();
  }
}

/** From where the last one ended. */
async function copyRest(log: Awaited<ReturnType<typeof open>>): Promise<void> {
  const buffer = Buffer.alloc(65_536);
  for (;;) {
    const { bytesRead } = await log.read(buffer, 0, buffer.length, null);
    if (bytesRead === 0) return;
    process.stderr.write(Buffer.from(buffer.subarray(0, bytesRead)));
  }
}
