import type { ASTNode } from '@marcbachmann/cel-js';
import { secretName } from '../lib/secret-name.js';
import type { At } from './at.js';
import { pathOf } from './names.js';
import { childrenOf } from './parse.js';
import { sourceOf } from './place.js';
import { wrong, type Outcome, type Value } from './value.js';

export const HIDDEN = '[hidden]';

/** Does a value come from a name such as `password`, or from below one, or from the variable of a macro over such values? */
export function isHidden(node: ASTNode, at: Pick<At, 'hidden'>): boolean {
  const path = pathOf(node);
  if (path === undefined) return childrenOf(node).some((one) => isHidden(one, at));
  return at.hidden.has(path[0] ?? '') || path.some((name) => secretName.test(name));
}

/** Where a macro's variable stands for an element of what it goes over, and is as hidden as that. */
export const atElement = (variable: string, element: Value, list: ASTNode, at: At): At => ({
  ...at,
  hidden: isHidden(list, at) ? new Set([...at.hidden, variable]) : at.hidden,
  locals: new Map([...at.locals, [variable, element]]),
  outcomes: new Map(),
});

/** What cannot be used is reported without its value. */
export const withoutHidden = (outcome: Outcome, node: ASTNode, at: At): Outcome =>
  outcome.is === 'wrong' && isHidden(node, at)
    ? wrong(`${sourceOf(node)} cannot be used so; its value is hidden`)
    : outcome;
