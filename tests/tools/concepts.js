/** Counts what an author of playbooks must know before the first module: docs/language.md shows it, and `docs.js --check` bounds it. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { FUNCTION_NAMES } from '../../engine/expressions/call.ts';
import { ExpressionTypes } from '../../engine/language/types/expression-types.ts';
import { readSchema, root, withoutModules } from './schema-tables.js';

/** What the language is to have at most. */
export const TARGET = 60;
/** What it has now: `--check` fails when it grows. */
export const CEILING = 60;

const nothing = { components: [], checks: {}, facts: {}, names: {}, roles: {}, vars: {}, types: {} };
const hosts = { platform: {}, names: {}, vars: {}, endpoints: {}, secrets: {}, hosts: [] };

/** The roots of expressions: those that every platform has, and the two lists of hosts. */
export const expressionRoots = () => {
  const { names } = new ExpressionTypes({ platform: nothing, inventory: hosts, extraVars: {}, plays: [] });
  return [...new Set(['hosts', 'all_hosts', ...Object.keys(names.roots)])];
};

const keysOf = (schema) => Object.keys(withoutModules(schema).properties);

/** The concepts by kind. A key that plays, blocks and steps share is one, counted where it stands first. */
export function conceptsOf() {
  const { $defs } = readSchema('playbook.schema.json');
  const { checks } = readSchema('platform.schema.json').properties;
  const play = new Set([...keysOf($defs.play), ...keysOf($defs.import)]);
  const step = new Set([...keysOf($defs.block), ...keysOf($defs.step), ...keysOf($defs.temporary)]);
  return {
    'play keys': [...play],
    'step and block keys': [...step].filter((key) => !play.has(key)),
    // Of the platform's checks, and of those that a step has of its own.
    'check keys': [...new Set([...keysOf(checks.additionalProperties), ...keysOf($defs.check)])].filter(
      (key) => !play.has(key),
    ),
    'names in expressions': expressionRoots(),
    functions: [...FUNCTION_NAMES],
  };
}

export const countOf = (concepts) => Object.values(concepts).reduce((sum, names) => sum + names.length, 0);

function argumentsIn(schema) {
  if (typeof schema !== 'object' || schema === null) return 0;
  const own = Object.keys(schema.properties ?? {}).length;
  return Object.entries(schema).reduce(
    (sum, [key, value]) => (key === 'examples' ? sum : sum + argumentsIn(value)),
    own,
  );
}

/** Arguments of all modules, nested ones included. */
export function moduleArguments() {
  const files = readdirSync(path.join(root, 'schemas/modules')).filter((file) => file.endsWith('.schema.json'));
  const count = files.reduce((sum, file) => sum + argumentsIn(readSchema(`modules/${file}`)), 0);
  return { modules: files.length, arguments: count };
}

export function conceptLine() {
  const concepts = conceptsOf();
  const kinds = Object.entries(concepts).map(([kind, names]) => `${names.length} ${kind}`);
  const { modules, arguments: count } = moduleArguments();
  return `${countOf(concepts)} concepts: ${kinds.join(', ')}. Beside them ${modules} modules have ${count} arguments.`;
}
