import type { ASTNode } from '@marcbachmann/cel-js';
import { RE2JS } from 're2js';
import { getOrCreate } from '../lib/get-or-create.js';
import { childrenOf, type Mistake } from './parse.js';
import { placeOf } from './place.js';

type Compiled = { readonly ok: true; readonly it: RE2JS } | { readonly ok: false; readonly reason: string };

/** Compiling takes longer than searching, and the same few patterns are searched over and over. */
const compiledBefore = new Map<string, Compiled>();

/** A pattern of `like`: linear in the text, whatever the pattern; ^ and $ are the ends of a line. Or why it is none. */
export const compile = (pattern: string): Compiled => getOrCreate(compiledBefore, pattern, () => compileNow(pattern));

function compileNow(pattern: string): Compiled {
  try {
    return { ok: true, it: RE2JS.compile(pattern, RE2JS.MULTILINE) };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return { ok: false, reason: said.replace(/^error parsing regexp: /, '').replace('`(?m)', '`') };
  }
}

/** The patterns written in an expression that are none. One that is made of names shows only when it is evaluated. */
export function patternMistakes(node: ASTNode): readonly Mistake[] {
  const inner = childrenOf(node).flatMap(patternMistakes);
  const pattern = node.op === 'rcall' && node.args[0] === 'like' ? node.args[2][0] : undefined;
  if (pattern?.op !== 'value' || typeof pattern.args !== 'string') return inner;
  const compiled = compile(pattern.args);
  return compiled.ok
    ? inner
    : [...inner, { code: 'pattern', reason: `this is no regular expression: ${compiled.reason}`, ...placeOf(pattern) }];
}
