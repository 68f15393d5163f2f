import { freePaths } from '../../expressions/names.js';
import { parseExpression } from '../../expressions/parse.js';
import { expressionsOf, type Condition } from '../../terms/condition.js';
import type { NamedCheck } from '../../terms/playbook.js';

/** Does a check lead back to itself, through whatever other checks? */
export function namesItself(name: string, checks: Readonly<Record<string, NamedCheck>>): boolean {
  const seen = new Set<string>();
  const waiting = [name];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop())
    for (const next of namedIn(checks[at]?.that ?? true)) {
      if (next === name) return true;
      if (Object.hasOwn(checks, next) && !seen.has(next)) waiting.push(next);
      seen.add(next);
    }
  return false;
}

/** Every name that could be a check's: roots, and what is asked of a macro's host. */
function namedIn(condition: Condition): readonly string[] {
  return expressionsOf(condition).flatMap((text) => {
    const parsed = parseExpression(text);
    return parsed.ok
      ? [...freePaths(parsed.ast).flatMap(({ path }) => path.slice(0, 1)), ...(text.match(/(?<=\.)[a-z_]\w*/g) ?? [])]
      : [];
  });
}
