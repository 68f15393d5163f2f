import { select } from '../language/playbook/selector.js';
import type { Known } from '../terms/fact.js';
import { isObject, type Json } from '../terms/json.js';
import type { Play } from '../terms/playbook.js';
import { isGivenUp, type Run } from './run.js';
import { scopeOf } from './facts/scope.js';
import { resolveFacts, type FactLookup } from './facts/resolve-facts.js';

/**
 * The hosts of a play now, narrowed by `--limit`. Which come last may hang on facts: the elected node. What runs once runs on another host
 * where the operator gave the first up (`--without`): it is not of that host alone.
 */
export const hostsOf = (run: Run, play: Play, lookup: FactLookup): readonly string[] =>
  select(
    play,
    run.project.inventory.hosts.filter(({ name }) => !(play.runOnce && isGivenUp(run, name))),
    {
      ...(run.options.limit === undefined ? {} : { limit: run.options.limit }),
      roles: run.project.platform.roles,
      last: (play.last ?? []).map((name) => namedBy(run, valueOf(run, play, name, lookup))),
    },
  );

/** A sentence for each fact of `last` that puts no host at the end; of one that is known after apply, none. */
export async function withoutOrder(run: Run, play: Play): Promise<readonly string[]> {
  const facts = await resolveFacts(run, (lookup) =>
    (play.last ?? []).map((name) => ({ name, value: valueOf(run, play, name, lookup) })),
  );
  return facts.flatMap(({ name, value }) => {
    const why = whyNone(run, value);
    return why === undefined ? [] : [`fact.${name} puts no host last in "${play.name}": ${why}`];
  });
}

function whyNone(run: Run, value: Found): string | undefined {
  if (value === 'missing' || (!value.known && value.dependsOn.length > 0)) return undefined;
  if (!value.known) return `it cannot be read: ${value.because}`;
  return namedBy(run, value).length > 0 ? undefined : `it names no host of the inventory (${shortly(value.value)})`;
}

type Found = Known<Json> | 'missing';

const valueOf = (run: Run, play: Play, name: string, lookup: FactLookup): Found =>
  scopeOf(run, { play }, lookup, []).get(['fact', name]);

/** The inventory's hosts that a fact's value names: by their name, or by their variable `node_name`. */
function namedBy(run: Run, value: Found): readonly string[] {
  const named = value === 'missing' || !value.known ? [] : namesIn(value.value);
  return run.project.inventory.hosts
    .filter((h) => named.some((name) => h.name === name || h.vars['node_name'] === name))
    .map((h) => h.name);
}

/** A name; or those of a list, or of a map by some other key, whose elements may have it as `name`. */
function namesIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap(namesIn);
  if (!isObject(value)) return [];
  return typeof value['name'] === 'string' ? [value['name']] : Object.values(value).flatMap(namesIn);
}

const SHOWN = 5;

/** The names that it holds, or that there are none. */
function shortly(value: Json): string {
  const names = namesIn(value).filter((name) => name !== '');
  if (names.length === 0) return 'its value is empty';
  return `${names.slice(0, SHOWN).join(', ')}${names.length > SHOWN ? ', …' : ''}`;
}
