import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { copyDamage, inspectEvents } from '../../journal/run-folder.js';
import { showBytes } from '../../lib/bytes.js';
import { count } from '../../lib/count.js';
import { archiveOf } from '../../store/archive.js';
import { pickRun } from '../commands/show.js';
import { EXIT, invalid, refusal } from '../options/exit.js';
import type { Flags } from '../options/flags.js';
import { VERSION } from '../options/version.js';
import { localRuns } from '../team/exchange.js';
import { unreadableRefusal } from '../terminal/io-errors.js';
import { runsFor } from './unfinished.js';

const NEWEST = 'last';

/** `runbook runs --export RUN -o FILE`: all that the folder has of a run, as one file. What a team's store has of it is in the folder by now. */
export async function exportRun(run: string, file: string, flags: Flags): Promise<number> {
  const folder = pickRun('runs --export', { ...flags, positionals: run === NEWEST ? [] : [run] });
  const { events, damage = copyDamage(folder) } = inspectEvents(folder);
  if (damage !== undefined) throw unreadableRefusal(EXIT.refused, { folder, damage });
  if (existsSync(file)) throw invalid(`${file} exists; name another file, or remove it`);
  const local = localRuns(runsFor(flags));
  const archive = await archiveOf(local, folder.id, VERSION).finally(() => local.close());
  if ('mistake' in archive) throw refusal(EXIT.refused, `the export of the run ${folder.id} ${archive.mistake}`);
  const mistake = writeWhole(file, archive);
  if (mistake !== undefined) throw refusal(EXIT.refused, `the run cannot be written to ${file} (${mistake})`);
  const what = `the run ${folder.id}, ${count(events.length, 'record')}, ${showBytes(archive.length)}`;
  process.stdout.write(`Written to ${file}: ${what}\n`);
  return EXIT.done;
}

/** Writes a file that its owner alone may read, or nothing and why. */
function writeWhole(file: string, bytes: Buffer): string | undefined {
  const draft = `${file}.${process.pid}.new`;
  try {
    writeFileSync(draft, bytes, { flag: 'wx', mode: 0o600, flush: true });
    renameSync(draft, file);
    return undefined;
  } catch (error) {
    rmSync(draft, { force: true });
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}
