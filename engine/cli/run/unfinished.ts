import { resolve } from 'node:path';
import {
  findCopy,
  findDamaged,
  findUnfinished,
  otherKind,
  readCopy,
  runsOf,
  type Estimate,
  type OpenRun,
  type RunCopy,
  type RunFolder,
  type Runs,
} from '../../journal/run-folder.js';
import { isUnchained } from '../../journal/earlier.js';
import { isOfModel } from '../../journal/kind.js';
import { whichFiles } from '../../language/inventory/which-files.js';
import { displayName } from '../../language/load-context.js';
import type { Project } from '../../language/project.js';
import type { RunState } from '../../journal/state.js';
import { quote } from '../../lib/quote.js';
import type { Recorded } from '../../terms/event.js';
import { hashOf, isOtherCopy, startAt, type Choice } from './choice.js';
import { copyToResume, whyNotAccepted } from '../plan/accepted-changes.js';
import { EXIT, invalid, refusal, say, type Refusal } from '../options/exit.js';
import type { Flags } from '../options/flags.js';
import { wrongPause } from './pauses.js';
import { loadCopy } from '../options/project.js';
import { rollbacksOf } from '../terminal/links.js';
import { unreadableRefusal } from '../terminal/io-errors.js';
import { toldOf } from './told.js';
import { waiving, wrongWaiver } from './waive.js';
import { windowOf } from './window-flag.js';
import { textOrUndefined } from '../../lib/bounded-file.js';

/** The folder of runs that belongs to the inventory that the flags, the environment or the working directory name. */
export function runsFor(flags: Flags): Runs {
  const files = inventoryFiles(flags);
  // A file that cannot be read is reported where the inventory is loaded.
  const texts = files.map((file) => textOrUndefined(file) ?? '');
  return runsOf(files[0] ?? 'inventory.yaml', isOfModel(texts));
}

/** Refuses an inventory that comes through a pipe: its runs would be beside it, and found again by its name. */
export function mustHavePlace({ inventory }: Runs): void {
  if (/^\/(?:dev\/(?:fd\/|stdin$)|proc\/)/.test(inventory))
    throw invalid(`the runs of an inventory are kept beside it, and found by its name; write ${inventory} to a file`);
}

/** What the other verbs must be given to work with the same inventory: ` -i FILE -i FILE`, or nothing where they find it themselves. */
export function whereOf({ inventory = [] }: Pick<Flags, 'inventory'>): string {
  const isFound = absolute(inventory) === absolute(whichFiles(undefined, process.env).files);
  return inventory.length === 0 || isFound ? '' : ` ${quote(inventory.flatMap((file) => ['-i', file]))}`;
}

const absolute = (files: readonly string[]): string => files.map((file) => resolve(file)).join('\n');

/** The same for a run: as it was typed where that names the run's own files, else the run's own. */
export function whereOfRun(copy: Pick<RunCopy, 'inventory'> | undefined, flags: Flags): string {
  const own = copy?.inventory.map(({ file }) => file);
  const isSame = own === undefined || own.join('\n') === inventoryFiles(flags).join('\n');
  return isSame ? whereOf(flags) : whereOfOwn(own);
}

const whereOfOwn = (own: readonly string[]): string =>
  whereOf({ inventory: own.map((file) => displayName(process.cwd(), file)) });

const inventoryFiles = ({ inventory }: Flags): readonly string[] =>
  whichFiles(inventory, process.env).files.map((file) => resolve(file));

/** A run of the model is not taken for one of real hosts, nor the other way round. */
export function otherKindRefusal({ ofModel }: Runs, folder: RunFolder, command: string): Refusal {
  const [is, are] = ofModel ? ['real hosts', 'the model'] : ['the model', 'real hosts'];
  const right = whereOfOwn((findCopy(folder)?.inventory ?? []).map(({ file }) => file));
  return refusal(
    EXIT.invalid,
    `the run ${folder.id} is of ${is}; the inventory named here is of ${are}`,
    `runbook ${command}${right}   for that run`,
  );
}

export interface Unfinished extends Choice {
  readonly folder: RunFolder;
  readonly past: readonly Recorded[];
  readonly state: RunState;
  readonly hash: string;
  /** What the run goes on with. */
  readonly copy: RunCopy;
  readonly estimate?: Estimate;
  /** The flags, with what the run was limited to when it began. */
  readonly flags: Flags;
}

/** The unfinished run of an inventory. One that cannot be read is named; where there is no other, that is a refusal. */
export function readableUnfinished(runs: Runs): OpenRun | undefined {
  const unfinished = findUnfinished(runs);
  const damage = findDamaged(runs);
  if (damage === undefined) return unfinished;
  const damaged = unreadableRefusal(EXIT.refused, damage);
  if (unfinished === undefined) throw damaged;
  say(damaged);
  return unfinished;
}

/** The unfinished run with its own copies of playbook and inventory. */
export async function openUnfinished(verb: string, flags: Flags): Promise<Unfinished> {
  const lost = flags.fromHosts ? '; where the folder of the run is lost: runbook apply PLAYBOOK --from-hosts' : '';
  if (flags.positionals.length > 0) throw invalid(`${verb} takes no playbook; the run has its own copy${lost}`);
  const runs = runsFor(flags);
  const found = readableUnfinished(runs);
  const other = found === undefined ? findUnfinished(otherKind(runs)) : undefined;
  if (other !== undefined) throw otherKindRefusal(runs, other.folder, verb);
  if (found === undefined) throw invalid(`no unfinished run in ${runs.folder} (another inventory: -i)${lost}`);
  if (verb === 'resume' && isUnchained(found.folder.journalFile)) throw unchainedRefusal(found, flags);
  const before = readCopy(found.folder);
  if (isOtherCopy(before, found.past))
    process.stderr.write(
      `${found.folder.path}/copy.json is not the copy with which this run last continued: it is an earlier one, or of a resume that ended before it began. Where there is a newer one, put it in its place first.\n`,
    );
  if (inventoryFiles(flags).length > before.inventory.length)
    throw refusal(
      EXIT.invalid,
      `the run ${found.folder.id} was begun with fewer inventory files than are named here; it goes on with its own`,
      `runbook ${verb}${whereOfOwn(before.inventory.map(({ file }) => file))}`,
    );
  const copy = verb === 'resume' ? await copyToResume(before, flags) : before;
  const whole = await loadCopy(copy);
  const mistake = wrongWaiver(whole, flags);
  if (mistake !== undefined) throw invalid(mistake);
  const waives = waiving(whole, copy.waive ?? []);
  const project = copy.startAt === undefined ? waives : startAt(waives, copy.startAt);
  const window = copy.backFrom === undefined ? windowOf(project, flags.window ?? copy.window) : undefined;
  const wrong = wrongPause(project, flags);
  if (wrong !== undefined) throw invalid(wrong);
  const told = toldOf(found.state, flags);
  refuseMissing(verb, project, found.state, flags);
  return {
    ...found,
    copy,
    project,
    told,
    hash: hashOf(copy),
    ...asNarrowed(copy, flags),
    ...(window === undefined ? {} : { window }),
    ...(copy.estimate === undefined ? {} : { estimate: copy.estimate }),
  };
}

/** What a run of the version before did stands in its journal; that nothing of it is missing, and what hosts know of it, does not. */
function unchainedRefusal({ folder, past }: OpenRun, flags: Flags): Refusal {
  const version = past.map((r) => r.event).find((e) => e.e === 'run-started')?.version ?? 'before';
  const where = whereOf(flags);
  return refusal(
    EXIT.refused,
    `the run ${folder.id} was begun with an earlier runbook (version ${version}), whose journal does not show whether records are missing; this one does not resume it`,
    `resume it with the runbook that began it, or: runbook close${where}, runbook rollback${where}`,
  );
}

/** Refuses where the inventory lacks a host that the run worked on. */
export function refuseMissing(verb: string, project: Project, state: RunState, flags: Flags): void {
  const missing = whyNotAccepted(project, state);
  if (missing !== undefined)
    throw refusal(EXIT.refused, missing, `add it to the inventory again, then: runbook ${verb}${whereOf(flags)}`);
}

/** The parts of the playbook and the hosts that the run was limited to when it began. */
export const asNarrowed = ({ limit, tags, skipTags }: RunCopy, flags: Flags) => ({
  flags: { ...flags, tags: setOf(tags), skipTags: setOf(skipTags) },
  ...(limit === undefined ? {} : { limit: new Set(limit) }),
});

const setOf = (names: readonly string[] | undefined): ReadonlySet<string> | undefined =>
  names === undefined ? undefined : new Set(names);

/** Before findings about services: an unfinished run may have stopped them, and starts them in its turn. Gives that run. */
export function warnOfUnfinished(flags: Flags): OpenRun | undefined {
  const unfinished = findUnfinished(runsFor(flags));
  if (unfinished === undefined || flags.json) return unfinished;
  const where = whereOfRun(findCopy(unfinished.folder), flags);
  const { id } = unfinished.folder;
  const [by] = rollbacksOf(runsFor(flags), id);
  const verbs = by === undefined ? ['resume', 'rollback', 'close'] : ['rollback', 'close'];
  const ways = verbs.map((verb) => `runbook ${verb}${where}`).join(', ');
  const whyNot =
    by === undefined ? '' : `. It was partly rolled back by ${by} and cannot be resumed, whatever a fix says`;
  process.stderr.write(
    `The run ${id} is unfinished and may keep services stopped. Do not start them by hand: ${ways}${whyNot}\n\n`,
  );
  return unfinished;
}
