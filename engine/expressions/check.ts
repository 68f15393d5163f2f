import { COMPONENT_ROOTS } from '../terms/component-roots.js';
import type { ASTNode, Environment } from '@marcbachmann/cel-js';
import { getOrCreate } from '../lib/get-or-create.js';
import { nearest } from '../lib/nearest.js';
import { FUNCTION_NAMES } from './call.js';
import { noFunction, wrongForms } from './check-forms.js';
import type { Names } from './environment.js';
import { childrenOf, parseExpression, type Mistake } from './parse.js';
import { placeOf, sourceOf } from './place.js';
import { isBinary, rightForm, typeOfNode, whyNot } from './right-form.js';
import { typeInWords, type NameType } from './types.js';

/** What was found before: a playbook has the same conditions in many steps. */
const checkedBefore = new WeakMap<Environment, Map<string, readonly Mistake[]>>();

/** All that is wrong with a condition: its syntax, names and types, each with its place in the text. */
export function checkCondition(text: string, env: Environment, names: Names): readonly Mistake[] {
  const before = getOrCreate(checkedBefore, env, () => new Map<string, readonly Mistake[]>());
  return getOrCreate(before, text, () => checkText(text, env, names, true));
}

/** The same for an expression that may have any type. */
export const checkValue = (text: string, env: Environment, names: Names): readonly Mistake[] =>
  checkText(text, env, names, false);

function checkText(text: string, env: Environment, names: Names, isCondition: boolean): readonly Mistake[] {
  const parsed = parseExpression(text);
  if (!parsed.ok) return [parsed.mistake];
  // Nearly all are right: the parts are only looked at to tell all that is wrong.
  if (checkPart({ node: parsed.ast, isCondition }, env, names).length === 0) return [];
  return operands(parsed.ast, isCondition).flatMap((part) => checkPart(part, env, names));
}

interface Part {
  readonly node: ASTNode;
  /** It must be true or false. */
  readonly isCondition: boolean;
}

/** Operands of `&&`, `||`, `!` and `?:` are checked one by one, so that each of them has its own mistake. */
function operands(node: ASTNode, isCondition: boolean): readonly Part[] {
  if (node.op === '&&' || node.op === '||' || node.op === '!_')
    return childrenOf(node).flatMap((one) => operands(one, true));
  if (node.op === '?:') return childrenOf(node).flatMap((one, i) => operands(one, i === 0 || isCondition));
  return [{ node, isCondition }];
}

interface Failure {
  readonly code?: string;
  readonly summary?: string;
  readonly message: string;
  readonly range?: { readonly start: number; readonly end: number };
  readonly node?: ASTNode;
}

function checkPart({ node, isCondition }: Part, env: Environment, names: Names): readonly Mistake[] {
  const source = sourceOf(node);
  const { start: from } = placeOf(node);
  // Parsed by itself: the library notes the types that it finds in the tree that it checks.
  const part = env.parse(source);
  const { valid, type, error } = part.check();
  const at = ({ start, end }: { readonly start: number; readonly end: number }): Pick<Mistake, 'start' | 'end'> => ({
    start: from + start,
    end: from + end,
  });
  if (!valid) return [mistakeOf(error as Failure, source, names, at)];
  const wrong = wrongForms(part.ast, names);
  if (wrong.length > 0)
    return wrong.map(({ node: of, ...words }): Mistake => ({ code: 'type', ...words, ...at(placeOf(of)) }));
  if (!isCondition || type === 'bool' || type === 'dyn') return [];
  const reason = `${source} is ${typeInWords(type ?? 'dyn')}; a condition must be true or false`;
  return [{ code: 'result', reason, ...at({ start: 0, end: source.length }) }];
}

function mistakeOf(
  failure: Failure,
  source: string,
  names: Names,
  place: (range: { readonly start: number; readonly end: number }) => Pick<Mistake, 'start' | 'end'>,
): Mistake {
  const range = failure.range ?? { start: 0, end: source.length };
  const at = place(range);
  const written = source.slice(range.start, range.end);
  if (failure.code === 'unknown_variable')
    return {
      code: 'unknown_name',
      reason: `"${written}" is undefined`,
      ...at,
      ...(written === 'secret'
        ? { hint: 'no expression reads a secret' }
        : /^(?:yes|on|True|TRUE)$/.test(written)
          ? { hint: 'write true' }
          : didYouMean(written, Object.keys(names.roots))),
    };
  if (failure.code === 'no_such_key') {
    const path = pathBefore(source, range.end);
    return {
      code: 'unknown_key',
      reason: `"${path.join('.')}" is undefined`,
      path,
      ...at,
      ...nearestOf(path, written, names),
    };
  }
  return { code: 'type', ...inWords(failure), ...at };
}

function nearestOf(path: readonly string[], written: string, names: Names): { readonly hint?: string } {
  const near = didYouMean(written, keysBeside(path, names));
  return near.hint === undefined && path.length === 2 && COMPONENT_ROOTS.includes(path[0] ?? '')
    ? { hint: `add ${path[1] ?? ''} to "components" of the platform` }
    : near;
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

/** The library names types by its own words, and no right form. */
function inWords({ summary, message, node, code }: Failure): { readonly reason: string; readonly hint?: string } {
  if (node !== undefined && isBinary(node)) return { reason: whyNot(node), ...rightForm(node) };
  if (code === 'no_matching_overload' && (node?.op === 'call' || node?.op === 'rcall')) {
    const [name] = node.args;
    if (!FUNCTION_NAMES.includes(name)) return noFunction(name);
    const operands = node.op === 'call' ? node.args[1] : [node.args[1], ...node.args[2]];
    const types = operands.map((one) => typeInWords(typeOfNode(one)));
    return { reason: `${name}() cannot be used with ${types.length === 0 ? 'nothing' : types.join(' and ')}` };
  }
  if ((code === 'cannot_index_type' || code === 'invalid_index_type') && (node?.op === '.' || node?.op === '[]')) {
    const [of, key] = node.args;
    return {
      reason: `${sourceOf(of)} is ${typeInWords(typeOfNode(of))}: it has no ${typeof key === 'string' ? `"${key}"` : sourceOf(key)}`,
    };
  }
  if (node?.op === '?:') {
    const [, yes, no] = node.args.map((one) => typeInWords(typeOfNode(one)));
    return { reason: `both results of ?: must have one type; they are ${yes ?? ''} and ${no ?? ''}` };
  }
  const said = (summary ?? message).split('\n')[0] ?? '';
  return { reason: said.charAt(0).toLowerCase() + said.slice(1) };
}
