import type { Scope } from '../expressions/at.js';
import { evaluate as evaluateTree } from '../expressions/evaluate.js';
import { parseExpression } from '../expressions/parse.js';
import { allOf, mistaken } from '../expressions/truth.js';
import type { Condition, Truth } from '../terms/condition.js';
import { ANY, type NameType } from '../expressions/types.js';
import type { Known } from '../terms/fact.js';
import type { Json } from '../terms/json.js';
import { isText } from '../terms/secret.js';

type Found = Known<Json> | 'missing';

/** Where a condition looks names up: those of a host when one is given, else of the host at hand. */
export interface ConditionScope {
  get(path: readonly string[], host?: string): Found;
  /** The hosts of a role or group, or of `all`: of the whole inventory; `limited`: only those that `--limit` left. */
  hosts(name: string, limited: boolean): readonly string[];
  /** The truth of a named check of the platform. */
  check?(name: string, host?: string): Truth | undefined;
  /** The declared type of what a path leads to, by the names of expressions. */
  typeOf?(path: readonly string[]): NameType;
}

/**
 * Evaluates a condition to one of three values, with a reason of one line. Unknown only when what is unknown could change the answer.
 * A mistake that shows only now (a name that is undefined, types that do not fit) is unknown for ever (`never`): waiting is no use.
 */
export function evaluate(condition: Condition, scope: ConditionScope): Truth {
  if (typeof condition === 'boolean') return { is: condition, because: condition ? 'always' : 'never', constant: true };
  return typeof condition === 'string'
    ? evaluateText(condition, scope)
    : allOf(condition.map((one) => evaluateText(one, scope)));
}

function evaluateText(text: string, scope: ConditionScope): Truth {
  const parsed = parseExpression(text);
  return parsed.ok ? evaluateTree(parsed.ast, expressionScope(scope)) : mistaken(parsed.mistake.reason);
}

/** The names of expressions, by those of templates. */
export const expressionScope = (scope: ConditionScope): Scope => ({
  get(path, host): Found {
    const [root] = path;
    const get = (names: readonly string[]): Found =>
      unlessSecret(path, host === undefined ? scope.get(names) : scope.get(names, host));
    switch (root) {
      // No expression reads a secret: its value would show in the answer.
      case 'secret':
        return 'missing';
      default:
        return get(path);
    }
  },
  hosts: (root, name) => scope.hosts(name, root === 'hosts'),
  check: (name, host) => scope.check?.(name, host),
  typeOf: (path) => scope.typeOf?.(path) ?? ANY,
});

/** A variable may be made from a secret: not even the length of such a value is available to an expression. */
const unlessSecret = (path: readonly string[], found: Found): Found =>
  found !== 'missing' && found.known && isText(found.value) && typeof found.value !== 'string'
    ? { known: false, because: `${path.join('.')} is a secret, which no expression reads`, dependsOn: [] }
    : found;
