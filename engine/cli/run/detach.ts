import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { listRuns, openRunFolder, type Runs } from '../../journal/run-folder.js';
import type { CommandName } from '../options/commands.js';
import { EXIT, invalid } from '../options/exit.js';
import { flagsOf } from '../options/platform-flags.js';
import { inventoryOf, isPlanFile, readPlanFile } from '../plan/plan-file.js';
import { mustHavePlace, runsFor, whereOf } from './unfinished.js';

const POLL_MS = 100;

/** `apply --detach`: the same command in a session of its own, which a lost connection does not end. Its run has begun when this returns. */
export async function detach(command: CommandName, argv: readonly string[]): Promise<number> {
  const flags = await flagsOf(command, argv);
  if (!flags.yes) throw invalid('--detach leaves no terminal to ask at; use -y, and plan before');
  const [file = ''] = flags.positionals;
  const read = isPlanFile(file) ? readPlanFile(file) : undefined;
  const named = read === undefined ? flags : { ...flags, ...inventoryOf(read.plan) };
  const runs = runsFor(named);
  mustHavePlace(runs);
  return inBackground(command, argv, runs, whereOf(named));
}

async function inBackground(command: CommandName, argv: readonly string[], runs: Runs, where: string): Promise<number> {
  const before = journalsOf(runs);
  const { log, file } = openLog(runs);
  const own = argv.filter((arg) => arg !== '--detach');
  const child = spawn(process.execPath, [process.argv[1] ?? '', command, ...own], {
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  child.unref();
  let code: number | null | undefined;
  child.once('exit', (status) => (code = status));
  const begun = (): string | undefined =>
    [...journalsOf(runs)].find(([id, bytes]) => bytes > (before.get(id) ?? 0))?.[0];
  while (code === undefined && begun() === undefined) await pause(POLL_MS);
  if (code !== undefined) {
    // It was refused, or has ended already.
    process.stdout.write(readFileSync(file, 'utf8'));
    return code ?? EXIT.failed;
  }
  process.stdout.write(
    `The run ${begun() ?? ''} works in the background (process ${child.pid ?? 0}).\n` +
      `  runbook attach${where}   follow it\n  runbook stop${where}     stop it at its next safe point\n`,
  );
  return EXIT.done;
}

/** How long the journal of each run is: it grows from the moment a run begins. */
const journalsOf = (runs: Runs): ReadonlyMap<string, number> =>
  new Map(
    listRuns(runs).map((id) => [
      id,
      statSync(openRunFolder(runs, id).journalFile, { throwIfNoEntry: false })?.size ?? 0,
    ]),
  );

/** What it prints goes to a file beside the runs, named by the time of its start. */
function openLog({ folder }: Runs): { readonly log: number; readonly file: string } {
  const directory = join(dirname(folder), 'detached');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, `${new Date().toISOString().replaceAll(':', '-')}-${process.pid}.log`);
  return { log: openSync(file, 'wx', 0o600), file };
}
