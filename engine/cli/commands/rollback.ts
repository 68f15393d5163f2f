import {
  findUnfinished,
  openRunFolder,
  otherKind,
  readCopy,
  type RunCopy,
  type Runs,
} from '../../journal/run-folder.js';
import type { Project } from '../../language/project.js';
import type { Platform } from '../../terms/playbook.js';
import type { PlanSummary } from '../../report/plan/plan-summary.js';
import { nameHosts } from '../../lib/name-hosts.js';
import { printableLine } from '../../report/style.js';
import { begin } from '../run/begin.js';
import { previousVersions, varsBack, type Mixed } from '../run/previous-version.js';
import { inventoryFor } from '../plan/accepted-changes.js';
import { choose, copyOf } from '../run/choice.js';
import { EXIT, invalid, refusal, Refusal, say } from '../options/exit.js';
import { parseFlags, type Flags } from '../options/flags.js';
import { withLock, type HeldLock } from '../run/lock.js';
import { isAttended } from '../terminal/prompt.js';
import { applyLine, plan, showPlan } from './plan.js';
import { loadProject } from '../options/project.js';
import { rollbackPlaybook } from '../options/rollback-playbooks.js';
import { closeWhatWasTakenBack } from './close.js';
import { nextForUnfinished } from '../run/rollback-options.js';
import { refuseMissing, runsFor, otherKindRefusal, whereOf } from '../run/unfinished.js';

/**
 * `runbook rollback`: a rollback to the version that the last upgrade came from, or to the one that `--to` names; of all components,
 * or of one. A plan first; then a run like any other, which an unfinished upgrade is not in the way of: it is closed when this one is done.
 */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags('rollback', argv);
  if (flags.format !== undefined && !flags.dryRun)
    throw invalid('--format needs --dry-run; of the run afterwards: runbook report');
  if (flags.positionals.length > 0)
    throw invalid('rollback takes no playbook; it rolls back the last upgrade (one part of it: --component)');
  const playbook = rollbackPlaybook(flags.component);
  if (typeof playbook !== 'string') throw invalid(playbook.mistake);
  const runs = runsFor(flags);
  const before = await loadProject({ ...flags, positionals: [playbook] }, 'work', keptBy(runs, flags));
  const back: Back = { playbook, before, runs };
  // A plan alone changes nothing, and asks no question.
  if (flags.dryRun || flags.listHosts) return goBack(back, flags, argv);
  return withLock('rollback', runs, flags, (lock) => goBack(back, flags, argv, lock));
}

interface Back {
  readonly playbook: string;
  readonly before: Project;
  readonly runs: Runs;
}

async function goBack(
  { playbook, before, runs }: Back,
  flags: Flags,
  argv: readonly string[],
  lock?: HeldLock,
): Promise<number> {
  const open = findUnfinished(runs);
  const unfinished = open?.folder;
  if (unfinished !== undefined && readCopy(unfinished).backFrom !== undefined)
    throw refusal(
      EXIT.locked,
      `the run ${unfinished.id} is an unfinished rollback`,
      `runbook resume${whereOf(flags)}    continues it`,
    );
  const vars = varsOf(flags, runs, before.platform);
  // What an operator says with -e counts above what the records say.
  const rollback = { ...flags, positionals: [playbook], extraVars: [...vars, ...flags.extraVars] };
  const kept = unfinished === undefined ? [] : inventoryFor('rollback', readCopy(unfinished), flags);
  const project = await loadProject(rollback, 'work', kept);
  if (open !== undefined) refuseMissing('rollback', project, open.state, flags);
  // No maintenance window binds it.
  const { window: _window, ...unbound } = choose(project, flags);
  const choice = { ...unbound, takesBack: unfinished ?? null };
  if (lock === undefined) return plan(choice, flags, argv, 'rollback');
  const rollsBack = unfinished?.id ?? previousVersions(runs, before.platform.components)?.run;
  const copy = {
    ...copyOf(choice.project, flags, choice.limit),
    backFrom: unfinished?.id ?? '',
    ...(rollsBack === undefined ? {} : { rollsBack }),
  };
  // Said at once: what is still open is said after it.
  const code = await begin({
    ...{ choice, flags, runs, lock, copy },
    show: (summary, events) => {
      showPlan(events, summary, flags, true);
      if (askedOf(summary).length === 0 || isAttended()) process.stdout.write(`\n${applyLine('rollback', argv)}\n`);
    },
    refuse: ({ summary }) => refuseOpen(askedOf(summary)),
    question: 'Roll back as planned above? [y/N]',
  }).catch((error: unknown) => {
    if (error instanceof Refusal) return say(error);
    throw error;
  });
  if (code === EXIT.done) return closeWhatWasTakenBack(copy.backFrom, flags, lock);
  // Where no rollback was begun, the upgrade is still what is open.
  const next = code === EXIT.refused && !flags.json ? await nextForUnfinished(flags) : undefined;
  if (next !== undefined) process.stdout.write(`\n${next}\n`);
  return code;
}

/** An unfinished upgrade is rolled back with its own inventory, as it is resumed. */
function keptBy(runs: Runs, { acceptChanges }: Flags): RunCopy['inventory'] {
  const unfinished = acceptChanges ? undefined : findUnfinished(runs)?.folder;
  return unfinished === undefined ? [] : readCopy(unfinished).inventory;
}

/** The version gone back to, as the extra variables that the platform names. */
function varsOf({ to }: Flags, runs: Runs, { components, rollback }: Platform): readonly string[] {
  if (rollback === undefined) {
    if (to === undefined) return [];
    throw invalid('--to: platform.yaml has no `rollback` that names the variable for it');
  }
  const found = previousVersions(runs, components);
  if (to !== undefined && (found === undefined || 'releases' in found || found.release !== to))
    return [JSON.stringify({ [rollback.release]: to })];
  const others = otherKind(runs);
  const other = found === undefined ? previousVersions(others, components) : undefined;
  if (other !== undefined) throw otherKindRefusal(runs, openRunFolder(others, other.run), 'rollback');
  if (found === undefined)
    throw invalid(
      `no run of this inventory has recorded a previous version (${runs.folder}); name it: runbook rollback --to VERSION`,
    );
  if ('releases' in found) throw severalReleases(found);
  return [JSON.stringify(varsBack(found, rollback))];
}

const severalReleases = ({ run: id, releases }: Mixed): Refusal =>
  invalid(
    `the upgrade of run ${id} began from several versions: ${Object.entries(releases)
      .map(([release, hosts]) => `${release} (${hosts.join(', ')})`)
      .join(', ')}; name the one to go back to with --to`,
  );

/** What the run asks on its way. */
const askedOf = (summary: PlanSummary | undefined): PlanSummary['decisions'] =>
  (summary?.decisions ?? []).filter(({ when }) => when === 'asked');

/** A decision that is open asks at the terminal; without one the run would stop there, half begun. */
function refuseOpen(questions: PlanSummary['decisions']): void {
  if (questions.length === 0 || isAttended()) return;
  throw refusal(
    EXIT.refused,
    'nothing was changed: a decision is open, and there is no terminal to ask at',
    ...questions.map(({ text, hosts }) => `${hosts.length === 0 ? '' : `${nameHosts(hosts)}: `}${printableLine(text)}`),
    'run it at a terminal, or with -y and the -e that answers it where one is named',
  );
}
