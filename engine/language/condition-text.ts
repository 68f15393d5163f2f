import type { Scope } from '../expressions/at.js';
import { evaluate } from '../expressions/evaluate.js';
import { parseExpression, type Parsed } from '../expressions/parse.js';
import { mistaken } from '../expressions/truth.js';
import type { Condition, Truth } from '../terms/condition.js';
import type { Known } from '../terms/fact.js';
import type { Json } from '../terms/json.js';
import type { ConditionScope } from './condition.js';

/** A list of expressions, of which all must hold. */
export const isTexts = (condition: Condition): condition is readonly string[] => Array.isArray(condition);

/** A condition is evaluated again and again: once for each host, and each time that a fact arrives. */
const parsedBefore = new Map<string, Parsed>();

/** The truth of a condition that is written as an expression. */
export function evaluateText(text: string, scope: ConditionScope): Truth {
  const parsed = parsedBefore.get(text) ?? parseExpression(text);
  parsedBefore.set(text, parsed);
  return parsed.ok ? evaluate(parsed.ast, scopeOf(scope)) : mistaken(parsed.mistake.reason);
}

type Found = Known<Json> | 'missing';

/** The names of expressions, by those of templates. */
const scopeOf = (scope: ConditionScope): Scope => ({
  get(path, host): Found {
    const [root, ...rest] = path;
    const get = (names: readonly string[]): Found => (host === undefined ? scope.get(names) : scope.get(names, host));
    switch (root) {
      // No expression reads a secret: its value would show in the answer.
      case 'secret':
        return 'missing';
      case 'previous':
        return get(['from', ...rest]);
      case 'needs_restart':
        return negated(get(['fresh', ...rest]));
      default:
        return get(path);
    }
  },
  hosts: (root, name) => scope.select(name === 'all' ? 'all' : [{ role: name }, { group: name }], root === 'hosts'),
  check: (name, host) => scope.check?.(name, host),
  isVersion: ([root, key]) => root === 'installed' || root === 'previous' || (root === 'platform' && key === 'target'),
});

const negated = (found: Found): Found =>
  found !== 'missing' && found.known ? { known: true, value: found.value !== true } : found;
