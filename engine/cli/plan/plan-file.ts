import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { isAbsolute, relative, resolve } from 'node:path';
import {
  inspectEvents,
  listRuns,
  openRunFolder,
  readCopy,
  type RunFolder,
  type Runs,
} from '../../journal/run-folder.js';
import { seal, unseal } from '../../lib/sealed.js';
import { sha256 } from '../../lib/hash.js';
import type { Document, Section } from '../../report/document/document.js';
import type { PlannedStep } from '../../report/plan/planned-steps.js';
import { isObject } from '../../terms/json.js';
import { whichFiles } from '../../language/inventory/which-files.js';
import { invalid } from '../options/exit.js';
import { selectionArgv, type Flags } from '../options/flags.js';
import { MOST_OF, readFileWithin, whyNotRead, headOf } from '../../lib/bounded-file.js';

const FORMAT = 'runbook-plan';

/** A plan that was approved: what `apply FILE` takes, and what `show FILE` prints. */
export interface PlanFile {
  readonly format: typeof FORMAT;
  readonly version: 1;
  /** Binds playbooks, inventory, variables and what was chosen of them. */
  readonly hash: string;
  /** Each file that went in, by its absolute path: digest of its text. */
  readonly files: Readonly<Record<string, string>>;
  /** The command line that made it, less what concerns only its output, and where. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Milliseconds since the epoch, on the clock of the machine that planned. */
  readonly atMs: number;
  /** On the clock of its page, which is that of the model for hosts of the model. */
  readonly untilMs: number;
  readonly steps: readonly PlannedStep[];
  /** The page and the detail, as they were printed. */
  readonly page: string;
  readonly detail: string;
  /** The same as a document for the ticket. */
  readonly document: Document;
}

export interface KeptPlan {
  /** Its name wherever it is named, as on its page. */
  readonly id: string;
  /** Of the file: a plan is applied once. */
  readonly digest: string;
  /** Of the file, whole: what is approved. */
  readonly sha256: string;
  readonly plan: PlanFile;
}

/** A plan that was approved, and how it was named. */
export interface Approved extends KeptPlan {
  readonly file: string;
}

export const isPlanFile = (file: string): boolean =>
  !/\.ya?ml$/.test(file) && headOf(file, 200).includes(`"${FORMAT}"`);

export const planId = (hash: string): string => hash.slice(0, 8);

/** Throws where the file exists already, or cannot be written. */
export function writePlanFile(file: string, plan: Omit<PlanFile, 'format' | 'version'>): string {
  const text = seal(JSON.stringify({ format: FORMAT, version: 1, ...plan }));
  const fd = openSync(file, 'wx', 0o600);
  try {
    writeFileSync(fd, text, { flush: true });
  } catch (error) {
    // A disk that is full leaves no half of a plan.
    rmSync(file, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
  return planId(plan.hash);
}

/** The plan that a file holds; a refusal where it cannot be used. */
export function readPlanFile(file: string): KeptPlan {
  let bytes: Buffer;
  try {
    bytes = readFileWithin(file, MOST_OF.own);
  } catch (error) {
    throw invalid(`${file} ${whyNotRead(error)}`);
  }
  if (!isPlanFile(file)) throw invalid(`${file} is not a plan (plan -o FILE writes one)`);
  const json = unseal(bytes);
  if (json === undefined || !isObject(json) || json['format'] !== FORMAT)
    throw invalid(`${file} was edited or is damaged; plan again`);
  if (json['version'] !== 1 || !isObject(json['document']))
    throw invalid(`${file} was made by another version of runbook; plan again`);
  const plan = planHere(json as unknown as PlanFile, process.cwd());
  const sha = sha256(bytes);
  return { id: planId(plan.hash), digest: sha.slice(0, 8), sha256: sha, plan };
}

/**
 * The plan in this folder, where its files are here as they are in the folder in which it was made: of a colleague, whose folder is elsewhere
 * or on another machine. Else as it is.
 */
function planHere(plan: PlanFile, here: string): PlanFile {
  const placeOf = (file: string): string => {
    const below = relative(plan.cwd, file);
    return below.startsWith('..') ? file : resolve(here, below);
  };
  const files = Object.fromEntries(Object.entries(plan.files).map(([file, digest]) => [placeOf(file), digest]));
  const moved = { ...plan, files, cwd: here, argv: plan.argv.map((arg) => (isAbsolute(arg) ? placeOf(arg) : arg)) };
  return changedFiles(moved).length === 0 ? moved : plan;
}

/** Files whose text is not the one that was planned with. */
export const changedFiles = ({ files }: PlanFile): readonly string[] =>
  Object.entries(files).flatMap(([file, digest]) => (digestOf(file) === digest ? [] : [file]));

function digestOf(file: string): string | undefined {
  try {
    return sha256(readFileWithin(file, MOST_OF.text).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The run that a plan began; each plan begins one. One that was stopped before its first change does not count. */
export const runOfPlan = (runs: Runs, plan: string): string | undefined =>
  listRuns(runs).find((id) => {
    const folder = openRunFolder(runs, id);
    try {
      return readCopy(folder).plan === plan && hasBegun(folder);
    } catch {
      // A run whose copy is damaged is reported by `runs`.
      return false;
    }
  });

/** It made a change, or may have: a damaged journal does not say. */
function hasBegun(folder: RunFolder): boolean {
  const { events, damage } = inspectEvents(folder);
  return damage !== undefined || events.some(({ event }) => event.e === 'intent');
}

/** What chooses the plan, as a command line. */
export function choosingArgv(flags: Flags, env: NodeJS.ProcessEnv): readonly string[] {
  const { files, from } = whichFiles(flags.inventory, env);
  const inventory = from === 'default' ? undefined : files.map((file) => resolve(file));
  // A plan takes a reason for what it waives, and for nothing else.
  const reason = flags.waive.length === 0 ? undefined : flags.reason;
  return [...flags.positionals, ...selectionArgv({ ...flags, inventory, reason })];
}

/** The inventory that a plan was made with, as `-i` names it. */
export const inventoryOf = ({ argv, cwd }: PlanFile): Pick<Flags, 'inventory'> => {
  const files = argv.flatMap((arg, i) => (argv[i - 1] === '-i' ? [arg] : []));
  return { inventory: files.length === 0 ? [resolve(cwd, 'inventory.yaml')] : files };
};

/** A section of its document. */
export const sectionOf = <Is extends Section['is']>(
  { document }: PlanFile,
  is: Is,
): Extract<Section, { is: Is }> | undefined =>
  document.sections.find((one): one is Extract<Section, { is: Is }> => one.is === is);

/** Who made it on which machine. */
export const authorOf = (plan: PlanFile): string => sectionOf(plan, 'origin')?.sessions[0]?.by ?? 'unknown';

/** To the minute, in UTC: a plan may be read on another machine. */
export const timeText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
