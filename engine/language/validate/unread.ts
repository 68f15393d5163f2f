import { isSlipOf, nearest } from '../../lib/nearest.js';
import type { Json } from '../../terms/json.js';
import { varsSetBy } from './extra-vars.js';
import type { WholeProject } from '../definitions.js';
import type { LoadedInventory } from '../inventory/loaded.js';
import type { LoadContext } from '../load-context.js';
import { type Mistakes, type Spot, suggest } from '../mistakes.js';
import { playbookTexts } from '../playbook/texts.js';
import { readOf } from '../templates/reads.js';
import { objectOf } from '../values.js';

/** One name of the inventory that this playbook does not read. */
interface Unread {
  readonly scope: 'vars' | 'platform';
  readonly name: string;
  readonly value: Json;
  readonly spot: Spot;
  /** Names written beside it. */
  readonly beside: readonly string[];
}

/**
 * Reports keys of the inventory's `platform` that nothing reads and that resemble a name which is read and is undefined.
 * Returns the names that were meant, so that they are not reported again where they are used.
 */
export function checkPlatformKeys(project: WholeProject, mistakes: Mistakes): readonly string[] {
  const { loaded } = project;
  const read = loaded === undefined ? undefined : readOf('platform', project.mentioned);
  if (loaded === undefined || read === undefined) return [];
  const written = new Set(Object.keys(loaded.inventory.platform));
  const missed = [...read].filter((name) => !written.has(name));
  return [...platformKeys(loaded)].flatMap(({ name, spot }) => {
    const meant = read.has(name) ? undefined : nearest(name, missed);
    if (meant === undefined) return [];
    mistakes.at(spot, `nothing reads {{platform.${name}}}`, { hint: `did you mean "${meant}"?` });
    return [meant];
  });
}

/**
 * Variables and `platform` keys of the inventory that nothing reads. An inventory serves several playbooks, so this is worth a warning
 * only where no playbook that can be found reads them; one letter beside a name that is read it is a mistake.
 */
export async function checkUnread(
  context: LoadContext,
  project: WholeProject,
  { mistakes, warnings }: { readonly mistakes: Mistakes; readonly warnings: Mistakes },
): Promise<void> {
  const { loaded, playbook, platform, mentioned } = project;
  if (loaded === undefined || !context.files.live) return;
  // `host.vars.X` reads the same variable.
  const names = new Set(
    [...mentioned].flatMap((name) => (name.startsWith('host.vars') ? [name, name.slice('host.'.length)] : [name])),
  );
  const here = { vars: readOf('vars', names), platform: readOf('platform', names) };
  const set = new Set(varsSetBy(playbook, platform));
  const unread = [...variables(loaded), ...platformKeys(loaded)].filter(({ scope, name }) => {
    const read = here[scope];
    return read !== undefined && !read.has(name) && !(scope === 'vars' && set.has(name));
  });
  if (unread.length === 0) return;
  const elsewhere = await namesInPlaybooks(context, project);
  for (const one of unread) {
    const { scope, name, spot } = one;
    if (elsewhere.has(`${scope}.${name}`) || (scope === 'vars' && elsewhere.has(`host.vars.${name}`))) continue;
    const known = [...(here[scope] ?? []), ...(scope === 'vars' ? set : [])];
    const slip = known.find((other) => isSlipOf(name, other) && !one.beside.includes(other));
    const what = scope === 'vars' ? `the variable "${name}"` : `{{platform.${name}}}`;
    if (slip === undefined)
      warnings.at(spot, `no playbook here reads ${what}`, { hint: suggest(nearest(name, known), [], '') });
    else mistakes.at(spot, `nothing reads ${what}`, { hint: `did you mean "${slip}"?` });
  }
}

function* platformKeys({ parts }: LoadedInventory): Generator<Unread> {
  for (const { source, path: at, json } of parts.platform?.layers ?? []) {
    const beside = Object.keys(json);
    for (const [name, value] of Object.entries(json))
      if (name !== 'names')
        yield { scope: 'platform', name, value, spot: { source, path: [...at, name], on: 'key' }, beside };
  }
}

/** Variables of the inventory, its groups and its hosts, each where it is written: once for a range. */
export function* variables({ parts }: LoadedInventory): Generator<Unread> {
  const of = function* (holder: Json | undefined, spot: Spot): Generator<Unread> {
    const beside = Object.keys(objectOf(holder));
    for (const [name, value] of Object.entries(objectOf(holder)))
      yield { scope: 'vars', name, value, spot: { ...spot, path: [...spot.path, name], on: 'key' }, beside };
  };
  for (const { source, path: at, json } of parts.vars?.layers ?? []) yield* of(json, { source, path: at });
  for (const { layers } of parts.groups.values())
    for (const { source, path: at, json } of layers) yield* of(json['vars'], { source, path: [...at, 'vars'] });
  for (const { written, source, json } of parts.hosts)
    yield* of(json['vars'], { source, path: ['hosts', written, 'vars'] });
}

/** Names that any playbook mentions which could be run with this inventory. */
const namesInPlaybooks = async (context: LoadContext, project: WholeProject): Promise<ReadonlySet<string>> =>
  new Set(
    (await playbookTexts(context, project)).flatMap(
      (text) => text.match(/\b(?:host\.)?(?:vars|platform)\.[\w-]+/g) ?? [],
    ),
  );
