import type { ASTNode, Environment } from '@marcbachmann/cel-js';
import { nearest } from '../lib/nearest.js';
import type { Names, NameType } from './environment.js';
import { childrenOf, parseExpression, type Mistake } from './parse.js';
import { placeOf, sourceOf } from './place.js';

/** All that is wrong with a condition: its syntax, names and types, each with its place in the text. */
export function checkCondition(text: string, env: Environment, names: Names): readonly Mistake[] {
  const parsed = parseExpression(text);
  if (!parsed.ok) return [parsed.mistake];
  return operands(parsed.ast).flatMap((part) => checkPart(part, env, names));
}

/** Operands of `&&`, `||`, `!` and `?:` are checked one by one, so that each of them has its own mistake. */
function operands(node: ASTNode): readonly ASTNode[] {
  return node.op === '&&' || node.op === '||' || node.op === '!_' || node.op === '?:'
    ? childrenOf(node).flatMap(operands)
    : [node];
}

interface Failure {
  readonly code?: string;
  readonly summary?: string;
  readonly message: string;
  readonly range?: { readonly start: number; readonly end: number };
}

function checkPart(node: ASTNode, env: Environment, names: Names): readonly Mistake[] {
  const source = sourceOf(node);
  const { start: from } = placeOf(node);
  const { valid, type, error } = env.check(source);
  if (valid)
    return type === 'bool' || type === 'dyn'
      ? []
      : [
          {
            code: 'result',
            reason: `${source} has type ${type ?? 'dyn'}; a condition must be true or false`,
            start: from,
            end: from + source.length,
          },
        ];
  const failure = error as Failure;
  const range = failure.range ?? { start: 0, end: source.length };
  const at = { start: from + range.start, end: from + range.end };
  const written = source.slice(range.start, range.end);
  if (failure.code === 'unknown_variable')
    return [
      {
        code: 'unknown_name',
        reason: `"${written}" is undefined`,
        ...at,
        ...(written === 'secret'
          ? { hint: 'no expression reads a secret' }
          : didYouMean(written, Object.keys(names.roots))),
      },
    ];
  if (failure.code === 'no_such_key') {
    const path = pathBefore(source, range.end);
    return [
      {
        code: 'unknown_key',
        reason: `"${path.join('.')}" is undefined`,
        ...at,
        ...didYouMean(written, keysBeside(path, names)),
      },
    ];
  }
  return [{ code: 'type', reason: inWords(failure), ...at }];
}

function didYouMean(word: string, candidates: readonly string[]): { readonly hint?: string } {
  const close = nearest(word, candidates);
  return close === undefined ? {} : { hint: `did you mean "${close}"?` };
}

/** The dotted name that ends here. */
const pathBefore = (source: string, end: number): readonly string[] =>
  /[a-z_][\w.]*$/i.exec(source.slice(0, end))?.[0].split('.') ?? [];

/** What stands beside the last name of a path. A root that is no name is a macro's variable: a host, as a rule. */
function keysBeside(path: readonly string[], { roots, host, hostLists }: Names): readonly string[] {
  const [root = '', ...rest] = path.slice(0, -1);
  if (root === 'hosts' || root === 'all_hosts') return hostLists;
  return keysOf(roots[root] ?? host, rest);
}

function keysOf(type: NameType, [key, ...rest]: readonly string[]): readonly string[] {
  if (typeof type === 'string') return [];
  const inner = key === undefined ? undefined : type[key];
  return key === undefined ? Object.keys(type) : inner === undefined ? [] : keysOf(inner, rest);
}

/** `no such overload: string > int` names the types: that is what must be said. */
function inWords({ summary, message }: Failure): string {
  const said = (summary ?? message).split('\n')[0] ?? '';
  const overload = /^no such overload: (.*)$/.exec(said)?.[1];
  return overload === undefined
    ? said.charAt(0).toLowerCase() + said.slice(1)
    : `${overload} cannot be evaluated: the types do not fit`;
}
