import type { Json } from '../../terms/json.js';
import type { Inventory } from '../../terms/inventory.js';
import type { Platform, PlatformFact } from '../../terms/playbook.js';
import { decodeFact, typeOfFact } from '../types/fact-types.js';
import type { Tree } from './tree.js';
import type { Mistakes } from '../mistakes.js';
import { namesIn } from '../templates/names.js';
import type { Source } from '../yaml/source.js';

const HINT =
  'user and password of an endpoint are written in the inventory; a `command` step takes a secret as `stdin`';

/** Reports a secret in a question, also behind a variable or a name: it would stand in an argument, an address or a log. */
export function checkNoSecret(
  { source, path, json, about }: Tree,
  platform: Platform,
  inventory: Inventory | undefined,
  mistakes: Mistakes,
): void {
  if (json === undefined) return;
  for (const name of namesIn(json)) {
    const secret = secretBehind(name, { platform, inventory }, new Set());
    if (secret === undefined) continue;
    const through = secret === name ? '' : `; the value of ${name} is made from {{${secret}}}`;
    mistakes.at({ source, path, word: name }, `${about}a fact cannot use a secret${through}`, { hint: HINT });
    return;
  }
}

interface Written {
  readonly platform: Platform;
  readonly inventory: Inventory | undefined;
}

/** The secret that a name is, or that its value is made from. `seen` are the names that led here: a circle is reported elsewhere. */
function secretBehind(name: string, written: Written, seen: ReadonlySet<string>): string | undefined {
  if (name.startsWith('secret.')) return name;
  if (seen.has(name)) return undefined;
  const inner = new Set([...seen, name]);
  const [root = '', key = ''] = name.split('.');
  return valuesOf(root, key, written)
    .flatMap(namesIn)
    .map((one) => secretBehind(one, written, inner))
    .find((one) => one !== undefined);
}

/** What is written for a name: on each host, where hosts differ. */
function valuesOf(root: string, key: string, { platform, inventory }: Written): readonly Json[] {
  const found =
    root === 'vars'
      ? [inventory?.vars[key] ?? platform.vars[key], ...(inventory?.hosts ?? []).map(({ vars }) => vars[key])]
      : root === 'platform'
        ? [inventory?.platform[key]]
        : [inventory?.names[root]?.[key] ?? platform.names[root]?.[key]];
  return [...new Set(found)].filter((value) => value !== undefined);
}

/** Tells a declared type that the fact can never have, and a default that is not of its type: each reading would fail. */
export function checkFactType(name: string, fact: PlatformFact, source: Source, mistakes: Mistakes): void {
  const about = `fact "${name}": `;
  const at = (key: string): { source: Source; path: readonly string[] } => ({ source, path: ['facts', name, key] });
  const { type: declared, ...rest } = fact;
  const seen = typeOfFact(rest);
  if (declared !== undefined && typeof seen !== 'string')
    mistakes.at(at('type'), `${about}the value of "disk" is { free_bytes, total_bytes }; it has no other type`);
  else if (declared === 'list' && seen === 'string')
    mistakes.at(at('type'), `${about}the value is text, not a list`, {
      hint: 'command' in fact ? 'for a list of matches write `pattern` and `all: true`' : undefined,
    });
  else if (declared !== undefined && declared !== 'list' && seen === 'list<string>')
    mistakes.at(at('type'), `${about}the value is a list; it has no other type`);
  else if (fact.default !== undefined)
    checkDefault(fact, fact.default, (message) => mistakes.at(at('default'), about + message));
}

function checkDefault(fact: PlatformFact, value: Json, tell: (message: string) => void): void {
  const decoded = decodeFact(fact, value);
  if ('mistake' in decoded) tell(`the default ${decoded.mistake}`);
}
