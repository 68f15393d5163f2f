import { checksUsed } from '../../terms/checks-used.js';
import { COMPONENT_ROOTS } from '../../terms/component-roots.js';
import { expressionsOf } from '../../terms/condition.js';
import type { Diagnostic } from '../../terms/diagnostic.js';
import type { Inventory } from '../../terms/inventory.js';
import type { Json } from '../../terms/json.js';
import type { Platform } from '../../terms/playbook.js';
import type { WholeProject } from '../definitions.js';
import { emptyInventory } from '../inventory/load.js';
import type { Mistakes } from '../mistakes.js';
import { namesIn } from '../templates/names.js';
import { namesInExpression } from '../templates/reads.js';
import type { Path } from '../yaml/node.js';

const OF_ROLES: ReadonlySet<string> = new Set(['host', 'hosts', 'all_hosts']);

/**
 * The mistakes that cannot change the value of an expression: those of a playbook, of which an expression of the command line uses nothing,
 * and those in parts of the platform file that it does not use. A mistake without a place in YAML may concern everything.
 */
export function unrelatedTo(
  expression: string,
  { platform, platformSource, extraVars, loaded }: WholeProject,
  { found, spotOf }: Pick<Mistakes, 'found' | 'spotOf'>,
  playbookFiles: ReadonlySet<string>,
): readonly Diagnostic[] {
  const used = partsUsed(expression, { platform, inventory: loaded?.inventory ?? emptyInventory, extraVars });
  return found.filter((mistake) => {
    const spot = spotOf(mistake);
    if (spot === undefined) return false;
    if (spot.source.absolute === platformSource.absolute) return !used.some((part) => overlap(part, spot.path));
    return playbookFiles.has(spot.source.absolute);
  });
}

/** One holds the other. */
const overlap = (a: Path, b: Path): boolean => a.slice(0, b.length).every((part, i) => part === b[i]);

interface Names {
  readonly platform: Platform;
  readonly inventory: Inventory;
  readonly extraVars: Readonly<Record<string, Json>>;
}

/** The parts of a platform file on which an expression depends, through checks and templates: `facts.health`, `names.database`, `roles`. */
function partsUsed(expression: string, names: Names): readonly Path[] {
  const { checks } = names.platform;
  const used = checksUsed([expression], checks);
  const texts = [expression, ...used.flatMap((name) => expressionsOf(checks[name]?.that))];
  // What is found on the way is gone through, too.
  const reached = new Set(texts.flatMap(namesInExpression));
  for (const name of reached) for (const inner of namesIn(writtenFor(name, names))) reached.add(inner);
  return [...used.map((name) => ['checks', name]), ...[...reached].flatMap((name) => partsOf(name, names.platform))];
}

function partsOf(name: string, { components }: Platform): readonly Path[] {
  const [root = '', key = ''] = name.split('.');
  if (OF_ROLES.has(root)) return [['roles']];
  // The versions before an upgrade are read of all components at once.
  if (COMPONENT_ROOTS.includes(root))
    return [['components'], ...(root === 'previous' ? components : [key]).map((group) => ['names', group])];
  if (root === 'fact') return [['facts', key]];
  if (root === 'vars') return ['vars', 'types'].map((section) => [section, key]);
  return [key === '' ? ['checks', root] : ['names', root, key]];
}

/** All that is written under a name, in whatever place: templates in it lead to more names. */
function writtenFor(name: string, { platform, inventory, extraVars }: Names): Json {
  const [root = '', key = ''] = name.split('.');
  if (root === 'fact') return platform.facts[key] ?? null;
  if (root === 'platform') return inventory.platform[key] ?? null;
  if (root === 'vars')
    return [platform.vars, inventory.vars, ...inventory.hosts.map(({ vars }) => vars), extraVars].map(
      (vars) => vars[key] ?? null,
    );
  if (COMPONENT_ROOTS.includes(root))
    return (root === 'previous' ? platform.components : [key]).map((group) => [
      platform.names[group] ?? null,
      inventory.names[group] ?? null,
    ]);
  return [platform.names[root]?.[key] ?? null, inventory.names[root]?.[key] ?? null];
}
