import { parse } from 'handlebars/dist/cjs/handlebars/compiler/base.js';
import type { Json } from '../../terms/json.js';

/** What stands in `{{…}}`: a name, a literal, or a helper with what it is given. */
export type Expression =
  | {
      readonly kind: 'name';
      readonly path: readonly string[];
      /** Blocks to step out of, as `../`. */ readonly up: number;
      readonly data: boolean;
    }
  | { readonly kind: 'literal'; readonly value: Json }
  | { readonly kind: 'call'; readonly helper: string; readonly args: readonly Expression[] };

export type Node =
  | string
  | { readonly kind: 'show'; readonly what: Expression }
  | {
      readonly kind: 'block';
      readonly block: Block;
      readonly of: Expression;
      readonly body: readonly Node[];
      readonly otherwise: readonly Node[];
    };

/** All that can be called: no other function is within a template's reach. */
export const helpers = ['by_release', 'default', 'join', 'lower', 'release', 'upper'] as const;
export type Helper = (typeof helpers)[number];
export type Block = 'if' | 'unless' | 'each' | 'with';

export type Template =
  { readonly ok: true; readonly nodes: readonly Node[] } | { readonly ok: false; readonly message: string };

const name = String.raw`[A-Za-z_][\w-]*(?:\.[\w-]+)*`;
const plainExpression = new RegExp(String.raw`\{\{\s*(${name})\s*\}\}`, 'g');
const plainCall = new RegExp(
  String.raw`^\{\{\s*(by_release|default|join|lower|release|upper)((?:\s+(?:${name}|"[^"{}\\]*"|-?\d+(?:\.\d+)?))+)\s*\}\}$`,
);
const argument = new RegExp(String.raw`"([^"]*)"|(-?\d+(?:\.\d+)?)(?=\s|$)|(${name})`, 'g');
const words: Readonly<Record<string, Json>> = { true: true, false: false, null: null };

/** Is there anything to render in this text? */
export const isTemplate = (text: string): boolean => text.includes('{{');

/** What was read before: a run renders the same leaves for each host and each look. Only what people write is a template, so it stays small. */
const readBefore = new Map<string, Template>();

/**
 * Parses one leaf. Plain names and calls, which are nearly all, are parsed here; the rest (blocks, nested calls, comments, escapes) is
 * parsed by Handlebars, which is slower. The result is shared by all callers, so it must not be modified.
 */
export function parseTemplate(text: string): Template {
  if (!isTemplate(text)) return { ok: true, nodes: [text] };
  const before = readBefore.get(text);
  if (before !== undefined) return before;
  const nodes = readCall(text) ?? readPlain(text);
  const template: Template = nodes === undefined ? parseWithHandlebars(text) : { ok: true, nodes };
  readBefore.set(text, template);
  return template;
}

const nameNode = (written: string): Expression =>
  Object.hasOwn(words, written)
    ? { kind: 'literal', value: words[written] ?? null }
    : { kind: 'name', path: written.split('.'), up: 0, data: false };

function readPlain(text: string): readonly Node[] | undefined {
  if (text.includes('\\{{') || text.includes('{{{') || text.includes('}}}')) return undefined;
  const nodes: Node[] = [];
  let at = 0;
  for (const match of text.matchAll(plainExpression)) {
    if (match.index > at) nodes.push(text.slice(at, match.index));
    if (match[1] === 'else' || match[1]?.startsWith('this') === true) return undefined;
    nodes.push({ kind: 'show', what: nameNode(match[1] ?? '') });
    at = match.index + match[0].length;
  }
  if (at < text.length) nodes.push(text.slice(at));
  return nodes.some((node) => typeof node === 'string' && isTemplate(node)) ? undefined : nodes;
}

function readCall(text: string): readonly Node[] | undefined {
  const [, helper, written] = plainCall.exec(text) ?? [];
  if (helper === undefined || written === undefined) return undefined;
  const args = [...written.matchAll(argument)].map(([, quoted, number, named]): Expression => {
    if (quoted !== undefined) return { kind: 'literal', value: quoted };
    return number === undefined ? nameNode(named ?? '') : { kind: 'literal', value: Number(number) };
  });
  return [{ kind: 'show', what: { kind: 'call', helper, args } }];
}

/** What Handlebars knows and we do not, found while turning Handlebars' tree into ours. Caught below; never leaves this file. */
class Unsupported extends Error {}

export const isHelper = (word: string): word is Helper => (helpers as readonly string[]).includes(word);
const isBlock = (word: string): word is Block => ['if', 'unless', 'each', 'with'].includes(word);

function parseWithHandlebars(text: string): Template {
  try {
    return { ok: true, nodes: parse(text).body.flatMap(nodeOf) };
  } catch (error) {
    if (error instanceof Unsupported) return { ok: false, message: error.message };
    const block = /\{\{#(\w+)/.exec(text)?.[1];
    const open = (text.match(/\{\{/g) ?? []).length - (text.match(/\}\}/g) ?? []).length;
    const why =
      open > 0
        ? 'a "{{" has no "}}"'
        : open < 0
          ? 'a "}}" has no "{{"'
          : block !== undefined && !text.includes(`{{/${block}`)
            ? `{{#${block}}} has no {{/${block}}}`
            : '{{ }} holds a name or a helper with names, as in {{vars.heap}} or {{upper vars.heap}}';
    return { ok: false, message: `this is no template: ${why}` };
  }
}

function nodeOf(statement: hbs.AST.Statement): readonly Node[] {
  switch (statement.type) {
    case 'ContentStatement':
      return [(statement as hbs.AST.ContentStatement).value];
    case 'CommentStatement':
      return [];
    case 'MustacheStatement':
      return [{ kind: 'show', what: callOf(statement as hbs.AST.MustacheStatement) }];
    case 'BlockStatement':
      return [blockOf(statement as hbs.AST.BlockStatement)];
    default:
      throw new Unsupported(`templates here have no ${statement.type.replace('Statement', '').toLowerCase()}s`);
  }
}

function blockOf(statement: hbs.AST.BlockStatement): Node {
  const block = statement.path.original;
  const [of, ...more] = statement.params;
  if (!isBlock(block)) throw new Unsupported(`there is no block "#${block}"; there are #if, #unless, #each and #with`);
  // Handlebars leaves these out where a block has none, against its own types.
  const program = statement.program as hbs.AST.Program | undefined;
  const inverse = statement.inverse as hbs.AST.Program | undefined;
  if (of === undefined || more.length > 0) throw new Unsupported(`"#${block}" takes one value`);
  if (program?.blockParams !== undefined && program.blockParams.length > 0)
    throw new Unsupported(`"as |…|" is not understood; use "this" or "../"`);
  return {
    kind: 'block',
    block,
    of: expressionOf(of),
    body: (program?.body ?? []).flatMap(nodeOf),
    otherwise: (inverse?.body ?? []).flatMap(nodeOf),
  };
}

function callOf(call: hbs.AST.MustacheStatement | hbs.AST.SubExpression): Expression {
  if (((call.hash as hbs.AST.Hash | undefined)?.pairs.length ?? 0) > 0)
    throw new Unsupported('helpers take no named values here');
  if (call.params.length === 0 && call.type === 'MustacheStatement') return expressionOf(call.path);
  const helper = (call.path as hbs.AST.PathExpression).original;
  if (!isHelper(helper)) throw new Unsupported(`there is no helper "${helper}"; there are ${helpers.join(', ')}`);
  return { kind: 'call', helper, args: call.params.map(expressionOf) };
}

function expressionOf(written: hbs.AST.Expression): Expression {
  switch (written.type) {
    case 'PathExpression': {
      const { parts, depth, data, original } = written as hbs.AST.PathExpression;
      if (parts.some((part) => typeof part !== 'string')) throw new Unsupported(`"${original}" cannot be a name`);
      return { kind: 'name', path: parts, up: depth, data };
    }
    case 'SubExpression':
      return callOf(written as hbs.AST.SubExpression);
    case 'StringLiteral':
    case 'NumberLiteral':
    case 'BooleanLiteral':
      return {
        kind: 'literal',
        value: (written as hbs.AST.StringLiteral | hbs.AST.NumberLiteral | hbs.AST.BooleanLiteral).value,
      };
    case 'NullLiteral':
      return { kind: 'literal', value: null };
    default:
      throw new Unsupported(`${written.type} is not understood in a template`);
  }
}
