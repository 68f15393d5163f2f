import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Project } from '../../language/project.js';
import { quote } from '../../lib/quote.js';
import { planDifferenceLines } from '../../report/plan/plan-differences-view.js';
import { copyOf, hashOf, type Choice } from '../run/choice.js';
import { unknownStep } from '../options/did-you-mean.js';
import { EXIT, invalid, refusal } from '../options/exit.js';
import { parseFlags, type Flags } from '../options/flags.js';
import { differencesFrom } from './keep-plan.js';
import {
  changedFiles,
  readPlanFile,
  runOfPlan,
  sectionOf,
  timeText,
  type Approved,
  type KeptPlan,
} from './plan-file.js';
import type { Planned } from './planned.js';
import { runsOfProject } from '../options/project.js';
import { whereOf } from '../run/unfinished.js';

/** How far clocks may differ. */
const CLOCK_MS = 300_000;

/** The plan file that a command line names, and the flags of the playbook and the inventory that it was made with. */
export function approvedPlan(file: string, argv: readonly string[]): { approved: Approved; argv: readonly string[] } {
  const own = argv.filter((arg) => arg !== file);
  const flags = parseFlags('apply', own);
  if (flags.waive.length > 0)
    throw invalid(`${file} was approved without --waive: plan again with it, and have that plan approved`);
  if (chooses(flags))
    throw invalid(
      `${file} has its inventory, variables and steps: leave out -i, -l, -e, -t, --skip-tags, --start-at-step and --window`,
    );
  const read = readPlanFile(file);
  const { atMs, untilMs, cwd, argv: made } = read.plan;
  if (Date.now() < atMs - CLOCK_MS)
    throw refusal(
      EXIT.refused,
      `${file} was made ${timeText(atMs)}, which is in the future`,
      'compare the clock of this machine with that of the one that planned',
    );
  // What time it is on a model is known once it is read.
  if (!isOfModel(read.plan)) refuseExpired(file, untilMs, Date.now());
  if (!existsSync(cwd))
    throw refusal(
      EXIT.refused,
      `${file} was made in ${cwd}, which does not exist here, and its files are not in this folder, or are others`,
      'apply it in a folder with the same files, or plan again on this machine',
    );
  const approved = { ...read, file: resolve(file) };
  // Relative paths of -e @FILE and of the playbook are meant from there.
  process.chdir(cwd);
  return { approved, argv: [...made, ...own] };
}

export const isOfModel = (plan: KeptPlan['plan']): boolean => sectionOf(plan, 'summary')?.model !== undefined;

export function refuseExpired(file: string, untilMs: number, nowMs: number): void {
  if (nowMs > untilMs)
    throw refusal(EXIT.refused, `${file} expired ${timeText(untilMs)}`, 'plan again, and have that plan approved');
}

const chooses = (flags: Flags): boolean =>
  flags.positionals.length > 0 ||
  flags.extraVars.length > 0 ||
  [flags.inventory, flags.limit, flags.tags, flags.skipTags, flags.startAtStep, flags.window].some(
    (given) => given !== undefined,
  );

/** Why an approved plan cannot begin a run: its files were changed, or it began one before. */
export function refuseApproved({ id, digest, plan, file }: Approved, choice: Choice, flags: Flags): void {
  const name = basename(file);
  const changed = changedFiles(plan);
  const again = 'plan again (--compare shows what differs), and have that plan approved';
  if (changed.length > 0)
    throw refusal(EXIT.refused, `changed since ${name} (${id}) was made: ${changed.join(', ')}`, again);
  if (hashOf(copyOf(choice.project, flags, choice.limit)) !== plan.hash)
    throw refusal(
      EXIT.refused,
      `the playbooks, the inventory or the variables of ${name} (${id}) are others now`,
      again,
    );
  const used = runOfPlan(runsOfProject(choice.project), digest);
  if (used !== undefined)
    throw refusal(
      EXIT.refused,
      `${name} (${id}) was applied by the run ${used}; a plan is applied once`,
      `runbook show ${used}${whereOf(flags)}   what it did`,
      again,
    );
}

/** A name that `--allow` has and no step, neither of the playbook nor of the plan, would quietly allow nothing. */
export function unknownAllowed({ plan }: Approved, { playbook }: Project, { allow }: Flags): string | undefined {
  const steps = playbook.plays.flatMap((play) => play.steps);
  const known = new Set([...steps, ...plan.steps].map(({ name }) => name));
  // The items of a loop may be others now: `Download the package [nginx]`.
  const isOfLoop = (name: string): boolean =>
    name.endsWith(']') && steps.some((step) => step.loop !== undefined && name.startsWith(`${step.name} [`));
  const unknown = allow.find((name) => !known.has(name) && !isOfLoop(name));
  return unknown === undefined ? undefined : `--allow: ${unknownStep(unknown, known)}`;
}

/** What the plan made now decides otherwise than the approved one, unless it is allowed by name. */
export function refuseDifferences(
  { id, plan, file }: Approved,
  { events, summary }: Planned,
  choice: Choice,
  flags: Flags,
): void {
  if (isOfModel(plan)) refuseExpired(basename(file), plan.untilMs, summary?.atMs ?? 0);
  const all = differencesFrom(plan, events, runsOfProject(choice.project));
  const differences = all.differences.filter(({ step }) => !flags.allow.includes(step.name));
  if (differences.length === 0) return;
  const names = [...new Set(differences.map(({ step }) => step.name))];
  const allow = names.flatMap((name) => ['--allow', name]);
  throw refusal(
    EXIT.refused,
    `the plan made now differs from ${basename(file)} (${id}); nothing was changed`,
    ...planDifferenceLines(differences),
    ...(choice.project.inventory.approvals === undefined
      ? ['Plan again and have that plan approved; or allow these steps:', `  runbook apply ${quote([file, ...allow])}`]
      : ['Plan again, and have that plan approved.']),
  );
}
