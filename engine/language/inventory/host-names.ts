import { freePaths, type FreePath } from '../../expressions/names.js';
import { parseExpression } from '../../expressions/parse.js';
import { COMPONENT_ROOTS } from '../../terms/component-roots.js';
import { expressionsOf } from '../../terms/condition.js';
import type { Json, JsonObject } from '../../terms/json.js';
import type { PlatformFact } from '../../terms/playbook.js';
import { namesIn, requiredNamesIn } from '../templates/names.js';
import type { Project } from '../project.js';

/** Names that mean nothing without a host. */
const OF_A_HOST: ReadonlySet<string> = new Set(['host', ...COMPONENT_ROOTS]);

type Names = Pick<Project, 'platform' | 'inventory' | 'extraVars'>;

/** The names of an expression whose value depends on the host at hand. */
export function hostNames(text: string, names: Names): readonly FreePath[] {
  const parsed = parseExpression(text);
  return parsed.ok ? freePaths(parsed.ast).filter(({ path }) => needsHost(path, names, new Set())) : [];
}

/** The first name in templates whose value depends on the host at hand; `vars` are those of the play and the step. */
export function templateHostName(json: Json, names: Names, vars: JsonObject): string | undefined {
  const isOfOne = (name: string): boolean => {
    const [root = '', key = ''] = name.split('.');
    const written = root === 'vars' ? vars[key] : undefined;
    return written === undefined
      ? needsHost([root, key], names, new Set())
      : namesIn(written).some((one) => needsHost(one.split('.'), names, new Set()));
  };
  return requiredNamesIn(json).find(isOfOne);
}

/** `seen` are the names that led here: a circle has been reported elsewhere. */
function needsHost([root = '', key = '']: readonly string[], names: Names, seen: ReadonlySet<string>): boolean {
  if (OF_A_HOST.has(root)) return true;
  const name = `${root}.${key}`;
  if (seen.has(name)) return false;
  const { platform, inventory, extraVars } = names;
  const inner = new Set([...seen, name]);
  const written = (value: Json | undefined): boolean =>
    value !== undefined && namesIn(value).some((one) => needsHost(one.split('.'), names, inner));
  switch (root) {
    case 'fact': {
      const fact = platform.facts[key];
      return fact !== undefined && (isOfHost(fact) || written(fact));
    }
    case 'vars': {
      const everywhere = extraVars[key] ?? inventory.vars[key] ?? platform.vars[key];
      return everywhere === undefined ? inventory.hosts.some(({ vars }) => key in vars) : written(everywhere);
    }
    case 'platform':
      return written(inventory.platform[key]);
    default: {
      const check = platform.checks[root];
      if (check !== undefined)
        return expressionsOf(check.that ?? true).some((text) => checkNeedsHost(text, names, inner));
      return written(inventory.names[root]?.[key] ?? platform.names[root]?.[key]);
    }
  }
}

/** Is it read on each host, and not from one endpoint for all? */
export const isOfHost = (fact: PlatformFact): boolean => !('endpoint' in fact) || fact.eachNode === true;

function checkNeedsHost(text: string, names: Names, seen: ReadonlySet<string>): boolean {
  const parsed = parseExpression(text);
  return parsed.ok && freePaths(parsed.ast).some(({ path }) => needsHost(path, names, seen));
}
