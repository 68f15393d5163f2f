import { relative } from 'node:path';
import type { RunCopy } from '../../journal/run-folder.js';
import type { RunState } from '../../journal/state.js';
import type { Project } from '../../language/project.js';
import { unifiedDiff } from '../../lib/diff.js';
import { maskPair } from '../../modules/shared/mask.js';
import { extraVarsOf } from '../options/extra-vars.js';
import type { Flags } from '../options/flags.js';
import { nameHosts } from '../../lib/name-hosts.js';
import { textOrUndefined } from '../../lib/bounded-file.js';

/**
 * The copy that a resume goes on with: the run's own, with the inventory as it is on disk now where `--accept-changes` says so, and with the
 * values of `-e`. Edits are shown either way, and it is said whether they are used.
 */
export async function copyToResume(copy: RunCopy, flags: Flags): Promise<RunCopy> {
  const given = await extraVarsOf(flags.extraVars);
  const waive = [...new Set([...(copy.waive ?? []), ...flags.waive])];
  return {
    ...copy,
    inventory: inventoryFor('resume', copy, flags),
    extraVars: { ...copy.extraVars, ...given },
    ...(waive.length === 0 ? {} : { waive }),
  };
}

/** The texts of the inventory that a verb takes for this run. An edit is shown, and whether it is used. */
export function inventoryFor(
  verb: 'resume' | 'rollback',
  copy: Pick<RunCopy, 'inventory'>,
  { acceptChanges, dryRun }: Pick<Flags, 'acceptChanges' | 'dryRun'>,
): RunCopy['inventory'] {
  const inventory = inventoryNow(copy);
  const names = showEdits(copy, inventory);
  if (names !== undefined)
    process.stderr.write(
      acceptChanges
        ? `${names}: the edit above is used${dryRun ? ' in this plan' : ' from now on'}.\n`
        : `${names}: edited since the run started. The edit above is not used. To use it: runbook ${verb} --accept-changes\n`,
    );
  return acceptChanges ? inventory : copy.inventory;
}

/** `close` restores what the run made, as the run knew its hosts. */
export function sayEditsUnused(copy: Pick<RunCopy, 'inventory'>): void {
  const names = showEdits(copy, inventoryNow(copy));
  if (names !== undefined)
    process.stderr.write(`${names}: edited since the run started. The edit above is not used by close.\n`);
}

const inventoryNow = ({ inventory }: Pick<RunCopy, 'inventory'>): RunCopy['inventory'] =>
  // A file that is gone is no edit: the run has its own copy.
  inventory.map(({ file, text }) => ({ file, text: textOrUndefined(file) ?? text }));

/** The files that were edited since the run began; undefined: none. */
function showEdits(copy: Pick<RunCopy, 'inventory'>, now: RunCopy['inventory']): string | undefined {
  const edited = now.filter(({ text }, i) => text !== copy.inventory[i]?.text);
  for (const { file, text } of edited)
    process.stderr.write(diffOf(file, copy.inventory.find((old) => old.file === file)?.text ?? '', text));
  return edited.length === 0 ? undefined : edited.map(({ file }) => nameOf(file)).join(', ');
}

/** Why a run cannot go on with another inventory: a host that it worked on is missing. */
export function whyNotAccepted({ inventory }: Project, state: RunState): string | undefined {
  const known = new Set(inventory.hosts.map((host) => host.name));
  const worked = new Set(
    [...state.tasks.values()].flatMap(({ task: { on }, acted }) => (acted === true && 'host' in on ? [on.host] : [])),
  );
  const missing = [...worked].filter((host) => !known.has(host));
  return missing.length === 0
    ? undefined
    : `the edited inventory lacks ${nameHosts(missing)}, on which this run has acted`;
}

const nameOf = (file: string): string => relative(process.cwd(), file);

const diffOf = (file: string, before: string, after: string): string => {
  const [old, edited] = maskPair(before, after);
  return unifiedDiff(nameOf(file), old, edited);
};
