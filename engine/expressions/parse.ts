import { parse, type ASTNode } from '@marcbachmann/cel-js';
import { getOrCreate } from '../lib/get-or-create.js';
import { placeOf } from './place.js';
import { syntaxText } from './syntax-text.js';

/** A part of an expression's text that is wrong: from `start` up to `end`, in characters. */
export interface Mistake {
  readonly code: 'syntax' | 'limit' | 'unknown_name' | 'unknown_key' | 'type' | 'result' | 'pattern';
  readonly reason: string;
  readonly start: number;
  readonly end: number;
  readonly hint?: string;
  /** Of an unknown key: the whole name, as far as it. */
  readonly path?: readonly string[];
}

export type Parsed =
  | { readonly ok: true; readonly ast: ASTNode; readonly text: string }
  | { readonly ok: false; readonly mistake: Mistake };

/** An expression is read by people: what is longer belongs into a named check. */
const MOST_CHARACTERS = 2_000;
const MOST_NODES = 200;
const MOST_MACROS = 2;
/** Macros bind a variable: `x.all(n, …)`. */
export const MACROS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one']);

/** A macro: it comes to true or false. */
export const isQuantifier = (node: ASTNode): node is ASTNode & { op: 'rcall' } =>
  node.op === 'rcall' && MACROS.has(node.args[0]);

/** What was read before: the same conditions are checked and evaluated over and over. Only what people write is an expression, so it stays small. */
const readBefore = new Map<string, Parsed>();

/** Reads an expression in the Common Expression Language. Its names and types are not looked at: see check.ts. */
export const parseExpression = (text: string): Parsed => getOrCreate(readBefore, text, () => parseText(text));

function parseText(text: string): Parsed {
  if (text.trim() === '') return refuse(text, 'syntax', 'the expression is empty');
  if (text.length > MOST_CHARACTERS)
    return refuse(
      text,
      'limit',
      `the expression has ${text.length} characters; at most ${MOST_CHARACTERS} are allowed`,
    );
  try {
    const { ast } = parse(text);
    const { nodes, macros } = sizeOf(ast);
    if (nodes > MOST_NODES)
      return refuse(text, 'limit', `the expression has ${nodes} parts; at most ${MOST_NODES} are allowed`);
    if (macros > MOST_MACROS)
      return refuse(text, 'limit', `macros are nested ${macros} times; at most ${MOST_MACROS} times are allowed`);
    const large = tooLarge(ast);
    if (large !== undefined)
      return {
        ok: false,
        mistake: {
          code: 'limit',
          reason: `the number is too large; at most ${Number.MAX_SAFE_INTEGER} is allowed`,
          ...placeOf(large),
        },
      };
    return { ok: true, ast, text };
  } catch (error) {
    return { ok: false, mistake: syntaxText(error, text) };
  }
}

/** The first whole number that cannot be kept exactly. */
function tooLarge(node: ASTNode): ASTNode | undefined {
  if (node.op !== 'value')
    return childrenOf(node)
      .map(tooLarge)
      .find((found) => found !== undefined);
  return typeof node.args === 'bigint' && !Number.isSafeInteger(Number(node.args)) ? node : undefined;
}

const refuse = (text: string, code: Mistake['code'], reason: string): Parsed => ({
  ok: false,
  mistake: { code, reason, start: 0, end: text.length },
});

/** How many nodes a tree has, and how deep its macros are nested. */
function sizeOf(node: ASTNode): { readonly nodes: number; readonly macros: number } {
  const inner = childrenOf(node).map(sizeOf);
  const own = node.op === 'rcall' && MACROS.has(node.args[0]) ? 1 : 0;
  return {
    nodes: 1 + inner.reduce((sum, { nodes }) => sum + nodes, 0),
    macros: own + Math.max(0, ...inner.map(({ macros }) => macros)),
  };
}

/** The operands of a node, in the order written. */
export function childrenOf(node: ASTNode): readonly ASTNode[] {
  switch (node.op) {
    case 'value':
    case 'id':
      return [];
    case '.':
    case '.?':
      return [node.args[0]];
    case '!_':
    case '-_':
      return [node.args];
    case 'call':
      return node.args[1];
    case 'rcall':
      return [node.args[1], ...node.args[2]];
    case 'list':
      return node.args;
    case 'map':
      return node.args.flat();
    default:
      return node.args;
  }
}

/** `a && b && c` is one conjunction of three. */
export const operandsOf = (node: ASTNode, op: '&&' | '||'): readonly ASTNode[] =>
  node.op === op ? childrenOf(node).flatMap((one) => operandsOf(one, op)) : [node];
