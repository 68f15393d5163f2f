import { parse, type ASTNode } from '@marcbachmann/cel-js';

/** A part of an expression's text that is wrong: from `start` up to `end`, in characters. */
export interface Mistake {
  readonly code: 'syntax' | 'limit' | 'unknown_name' | 'unknown_key' | 'type' | 'result';
  readonly reason: string;
  readonly start: number;
  readonly end: number;
  readonly hint?: string;
}

export type Parsed =
  | { readonly ok: true; readonly ast: ASTNode; readonly text: string }
  | { readonly ok: false; readonly mistake: Mistake };

/** An expression is read by people: what is longer belongs into a named check. */
const MOST_CHARACTERS = 2_000;
const MOST_NODES = 200;
const MOST_MACROS = 2;
/** Macros bind a variable: `x.all(n, …)`. */
export const MACROS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'filter', 'map']);

const QUANTIFIERS: readonly string[] = ['all', 'exists', 'exists_one'];
/** A macro that comes to true or false. */
export const isQuantifier = (node: ASTNode): node is ASTNode & { op: 'rcall' } =>
  node.op === 'rcall' && QUANTIFIERS.includes(node.args[0]);

/** Reads an expression in the Common Expression Language. Its names and types are not looked at: see check.ts. */
export function parseExpression(text: string): Parsed {
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
    return { ok: true, ast, text };
  } catch (error) {
    return { ok: false, mistake: syntaxMistake(error, text) };
  }
}

const refuse = (text: string, code: Mistake['code'], reason: string): Parsed => ({
  ok: false,
  mistake: { code, reason, start: 0, end: text.length },
});

function syntaxMistake(error: unknown, text: string): Mistake {
  const { summary, message, range, node } = error as {
    summary?: string;
    message?: string;
    range?: { start: number; end: number };
    node?: { pos?: number };
  };
  const start = Math.min(range?.start ?? node?.pos ?? 0, text.length);
  const end = Math.max(range?.end ?? start + 1, start + 1);
  const said = (summary ?? message ?? String(error)).split('\n')[0] ?? '';
  return { code: 'syntax', reason: said.charAt(0).toLowerCase() + said.slice(1), start, end, ...hintOn(text, start) };
}

/** What people write who know other languages, or forget about YAML; by what stands there, the end included. */
const HABITS: readonly (readonly [RegExp, string])[] = [
  [/^$/, 'the expression ends here; put it in quotes if it holds " #" or ": "'],
  [/^[{}]/, 'names stand without {{ }} in an expression'],
  [/^and\b/, 'write &&'],
  [/^or\b/, 'write ||'],
  [/^=[^=]/, 'write =='],
  [/^(is|eq)\b/, 'write =='],
];

function hintOn(text: string, start: number): { readonly hint?: string } {
  const rest = text.slice(start).trimStart();
  const hint = HABITS.find(([form]) => form.test(rest))?.[1];
  return hint === undefined ? {} : { hint };
}

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
