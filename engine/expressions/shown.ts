import type { ASTNode } from '@marcbachmann/cel-js';
import type { At } from './at.js';
import { HIDDEN, isHidden } from './hidden.js';
import { pathOf } from './names.js';
import { sourceOf } from './place.js';
import { cut, isStructured, show, Version } from './value.js';
import { Quantity } from './quantity.js';

/** The value of a node in a statement; undefined where it is not known. */
export function valueOf(node: ASTNode, at: At): string | undefined {
  const outcome = at.outcomeOf(node, at);
  return outcome.is !== 'value' ? undefined : isHidden(node, at) ? HIDDEN : show(outcome.value);
}

/** What a value was compared with. A long list is shown as it is written, and a text beside a version as a version. */
export function wantedOf(node: ASTNode, at: At, beside?: ASTNode): string | undefined {
  const [text, outcome] = [valueOf(node, at), at.outcomeOf(node, at)];
  if (text === undefined || text === HIDDEN || outcome.is !== 'value') return text;
  if (isStructured(outcome.value) && !text.startsWith('[')) return subjectOf(node, at);
  const other = beside === undefined ? undefined : at.outcomeOf(beside, at);
  const isOrdered = other?.is === 'value' && (other.value instanceof Version || other.value instanceof Quantity);
  return isOrdered && typeof outcome.value === 'string' && outcome.value !== '' ? cut(outcome.value) : text;
}

/** The text of a node; below a macro's variable without the variable, for which the statement names the element. */
export function subjectOf(node: ASTNode, { locals }: Pick<At, 'locals'>): string {
  const [root = '', ...keys] = pathOf(node) ?? [];
  const source = sourceOf(node);
  return locals.has(root) && keys.length > 0 && source.startsWith(`${root}.`) ? source.slice(root.length + 1) : source;
}
