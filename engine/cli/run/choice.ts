import type { RunCopy, RunFolder } from '../../journal/run-folder.js';
import type { Project } from '../../language/project.js';
import { limitHosts } from '../../language/playbook/selector.js';
import { sha256 } from '../../lib/hash.js';
import { stableStringify } from '../../lib/json.js';
import { didYouMean } from '../options/did-you-mean.js';
import type { Window } from '../../lib/window.js';
import type { Recorded } from '../../terms/event.js';
import type { Step } from '../../terms/playbook.js';
import { invalid } from '../options/exit.js';
import type { Flags } from '../options/flags.js';
import { wrongPause } from './pauses.js';
import { stepsNamed } from './steps-named.js';
import type { Told } from './told.js';
import { waiving, wrongWaiver } from './waive.js';
import { windowOf } from './window-flag.js';

/** A project as the flags narrow it. */
export interface Choice {
  readonly project: Project;
  readonly limit?: ReadonlySet<string>;
  /** The maintenance window: that of `--window`, else that of the inventory. */
  readonly window?: Window;
  /** Of an unfinished run: what the operator says of acts whose outcome is not known. */
  readonly told?: Told;
  /** Of a rollback: the unfinished run that it takes back; null: none is unfinished. */
  readonly takesBack?: RunFolder | null;
}

/** What `--limit`, `--tags`, `--skip-tags`, `--start-at-step` and `--waive` leave of a project. */
export function choose(whole: Project, flags: Flags): Choice {
  const waiver = wrongWaiver(whole, flags);
  if (waiver !== undefined) throw invalid(waiver);
  const project = waiving(whole, flags.waive);
  const limit = limitOf(project, flags);
  const mistake = unknownTag(project, flags) ?? wrongPause(project, flags);
  if (mistake !== undefined) throw invalid(mistake);
  const from = flags.startAtStep === undefined ? project : startAt(project, flags.startAtStep);
  const window = windowOf(project, flags.window);
  return {
    project: from,
    ...(limit === undefined ? {} : { limit }),
    ...(window === undefined ? {} : { window }),
  };
}

function limitOf(project: Project, flags: Flags): ReadonlySet<string> | undefined {
  if (flags.limit === undefined) return undefined;
  const limited = limitHosts(flags.limit, project.inventory.hosts);
  if (limited.ok) return new Set(limited.hosts);
  throw invalid(`${limited.message}${limited.hint === undefined ? '' : `; ${limited.hint}`}`);
}

/** A misspelt tag would quietly select nothing, or leave nothing out. */
function unknownTag({ playbook }: Project, flags: Flags): string | undefined {
  const known = new Set(playbook.plays.flatMap((play) => [...play.tags, ...play.steps.flatMap((s) => s.tags)]));
  const unknown = [...(flags.tags ?? []), ...(flags.skipTags ?? [])].find((tag) => !known.has(tag));
  if (unknown === undefined) return undefined;
  return `undefined tag "${unknown}" in "${playbook.name}"${didYouMean(unknown, known)}`;
}

/** The project without the steps before the one named: by its name, or as `PLAY / STEP`. */
export function startAt(project: Project, name: string): Project {
  const found = stepsNamed(project, name);
  const [{ play, step }] = found;
  if (found.length > 1)
    throw invalid(
      `several steps are named "${name}"; use one of:\n${found.map((p) => `  --start-at-step "${p.whole}"`).join('\n')}`,
    );
  const { playbook } = project;
  const plays = playbook.plays
    .slice(playbook.plays.indexOf(play))
    .map((one, i) => (i === 0 ? { ...one, steps: stepsFrom(one.steps, step) } : one));
  return { ...project, playbook: { ...playbook, plays } };
}

/** From this one on, behind what is required of the play. */
const stepsFrom = (steps: readonly Step[], first: Step): readonly Step[] => [
  ...steps.filter((step) => step.required === true && step !== first),
  ...steps.slice(steps.indexOf(first)),
];

/** What a run keeps of what it was told. */
export const copyOf = (project: Project, flags: Flags, limit: ReadonlySet<string> | undefined): RunCopy => ({
  version: 1,
  playbook: project.playbook.files,
  inventory: project.inventory.files,
  cwd: process.cwd(),
  extraVars: project.extraVars,
  ...(limit === undefined ? {} : { limit: [...limit] }),
  ...(flags.tags === undefined ? {} : { tags: [...flags.tags] }),
  ...(flags.skipTags === undefined ? {} : { skipTags: [...flags.skipTags] }),
  ...(flags.startAtStep === undefined ? {} : { startAt: flags.startAtStep }),
  ...(flags.window === undefined ? {} : { window: flags.window }),
  ...(flags.waive.length === 0 ? {} : { waive: flags.waive }),
});

/** Hashes what determines a run: the texts of playbooks and inventory wherever they stand, variables, and what was chosen of them. */
export function hashOf(copy: RunCopy): string {
  const { playbook, inventory, extraVars, limit, tags, skipTags, startAt: from, waive } = copy;
  const texts = [...playbook, ...inventory].map((f) => f.text);
  const content = {
    texts,
    extraVars,
    limit: limit ?? null,
    tags: tags ?? null,
    skipTags: skipTags ?? null,
    startAt: from ?? null,
    ...(waive === undefined ? {} : { waive }),
  };
  return sha256(stableStringify(content));
}

/** Whether a run last continued with other texts, variables or hosts than this copy of it has: the copy is an earlier one. */
export function isOtherCopy(copy: RunCopy, past: readonly Recorded[]): boolean {
  const last = past.findLast(({ event }) => event.e === 'run-started')?.event;
  return last?.e === 'run-started' && last.hash !== hashOf(copy);
}

/** The version a rollback leads to, for its headings; without it a run leads to the inventory's target. */
export function leadingTo({ extraVars, platform }: Project): { readonly target?: string } {
  const to = platform.rollback === undefined ? undefined : extraVars[platform.rollback.release];
  return typeof to === 'string' && to !== '' ? { target: to } : {};
}
