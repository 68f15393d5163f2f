import path from 'node:path';
import { existsSync } from 'node:fs';
import { formatDiagnostics, formatWarnings } from '../../language/diagnostic-text.js';
import { load, loadTexts, type LoadedProject } from '../../language/load.js';
import type { Project } from '../../language/project.js';
import { runsOf, type RunCopy, type Runs } from '../../journal/run-folder.js';
import { isOfModel } from '../../journal/kind.js';
import { printable } from '../../report/style.js';
import { EXIT, invalid, Refusal } from './exit.js';
import { extraVarsOf } from './extra-vars.js';
import { isPlanFile } from '../plan/plan-file.js';
import type { Flags } from './flags.js';
import { offers } from '../platform-offers.js';
import { whichFiles } from '../../language/inventory/which-files.js';
import { teamSettings } from '../team/settings.js';
import { programRoot } from '../program-root.js';

/** The runs of the inventory that a project was loaded with. */
export const runsOfProject = ({ inventory: { files } }: Project): Runs =>
  runsOf(files[0]?.file ?? 'inventory.yaml', isOfModel(files.map(({ text }) => text)));

/** The shipped playbooks stand beside the program. */
export const shippedDir = (): string => path.join(programRoot, 'playbooks');

/**
 * Loads what the flags name; a refusal has everything that is wrong with it. To validate, a playbook needs no
 * inventory, and warnings are printed, too. In a draft, what is still to be filled in is no mistake. A new run, and its plan, need the store
 * that the inventory asks for; whatever helps with a run that failed does not. `kept`: what a run kept of its inventory, in place of what is
 * on the disk.
 */
export async function loadProject(
  flags: Flags,
  purpose: 'work' | 'new run' | 'validate' | 'draft' = 'work',
  kept: RunCopy['inventory'] = [],
): Promise<Project> {
  const toValidate = purpose === 'validate';
  const [playbook, ...more] = flags.positionals;
  if (playbook === undefined) throw invalid('a playbook is missing; example: runbook plan upgrade-4.14.yaml');
  if (!/\.ya?ml$/.test(playbook) && !existsSync(playbook))
    throw invalid(
      `there is no file ${playbook}; a playbook ends in .yaml, and a plan is written by runbook plan PLAYBOOK -o ${playbook}`,
    );
  if (isPlanFile(playbook))
    throw invalid(
      `${playbook} is a plan, not a playbook; runbook show ${playbook} prints it, runbook apply ${playbook} applies it`,
    );
  if (!/\.ya?ml$/.test(playbook))
    throw invalid(
      `${playbook} is neither a playbook, which ends in .yaml, nor a plan, which runbook plan PLAYBOOK -o FILE writes`,
    );
  if (more.length > 0) throw invalid(`only one playbook at a time; remove "${more.join(' ')}"`);
  const extraVars = await extraVarsOf(flags.extraVars);
  const needsStore = toValidate || purpose === 'new run';
  return projectIn(
    await load({
      playbook,
      ...(flags.inventory === undefined ? {} : { inventory: flags.inventory }),
      inventoryOptional: toValidate,
      draft: purpose === 'draft',
      kept,
      ...(toValidate ? { nowMs: Date.now() } : {}),
      ...(needsStore ? { hasStore: await hasStore(flags) } : {}),
      extraVars,
      offers,
      cwd: process.cwd(),
      env: process.env,
      shippedDir: shippedDir(),
    }),
    toValidate,
  );
}

/** A configuration that cannot be read names one, too: whoever uses the store says what is wrong. */
async function hasStore({ inventory }: Flags): Promise<boolean> {
  const [first = ''] = whichFiles(inventory, process.env).files;
  return (await teamSettings(path.resolve(first), process.env)) !== undefined;
}

/** What `load` gives where nothing is wrong. */
export type LoadedPlatform = Extract<LoadedProject, { ok: true }>;

/**
 * The platform and the inventory without a playbook, or those of the playbook that `--playbook` names. Mistakes that do not concern
 * `expression` are printed as warnings.
 */
export async function loadPlatform(flags: Flags, expression: string): Promise<LoadedPlatform> {
  const extraVars = await extraVarsOf(flags.extraVars);
  const loaded = await load({
    ...(flags.playbook === undefined ? {} : { playbook: flags.playbook }),
    ...(flags.inventory === undefined ? {} : { inventory: flags.inventory }),
    inventoryOptional: true,
    extraVars,
    offers,
    expression,
    cwd: process.cwd(),
    env: process.env,
    shippedDir: shippedDir(),
  });
  if (!loaded.ok) throw mistaken(loaded);
  if (loaded.unrelated.length > 0)
    process.stderr.write(printable(`${formatWarnings(loaded.unrelated, loaded.sources)}\n`));
  return loaded;
}

/** The project as a run was told it, from the run's own copies. */
export async function loadCopy(copy: RunCopy): Promise<Project> {
  const { playbook, inventory, extraVars, cwd } = copy;
  return projectIn(await loadTexts({ playbook, inventory, extraVars, offers, cwd, env: process.env }));
}

function projectIn(loaded: LoadedProject, withWarnings = false): Project {
  if (!loaded.ok) throw mistaken(loaded);
  if (withWarnings && loaded.warnings.length > 0)
    process.stderr.write(printable(`${formatWarnings(loaded.warnings, loaded.sources)}\n`));
  return loaded.value;
}

const mistaken = ({ diagnostics, sources }: Extract<LoadedProject, { ok: false }>): Refusal =>
  new Refusal(EXIT.invalid, `${formatDiagnostics(diagnostics, sources)}\n`);
