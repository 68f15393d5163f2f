import { getOrCreate } from '../../lib/get-or-create.js';
import type { Json } from '../../terms/json.js';
import { takes } from './helpers.js';
import { type Expression, helpers, isHelper, isTemplate, type Node, parseTemplate } from './template.js';

interface Mention {
  readonly name: string;
  /** First of a `default`: it may name nothing. */
  readonly optional: boolean;
}

/** Dotted names that the templates of a tree mention (`installed.database`), each once, in order of appearance. */
export const namesIn = (tree: Json): readonly string[] => [...new Set(mentionsIn(tree).map((mention) => mention.name))];

/** As `namesIn`, without names that may be missing because a `default` stands by. */
export const requiredNamesIn = (tree: Json): readonly string[] => [
  ...new Set(mentionsIn(tree).flatMap((mention) => (mention.optional ? [] : [mention.name]))),
];

/** What is wrong with one leaf as a template, before any value is known; undefined when nothing is. */
export function templateMistake(text: string): string | undefined {
  const template = parseTemplate(text);
  if (!template.ok) return template.message;
  const calls = expressionsOf(template.nodes, 0).flatMap(({ what }) => callsIn(what));
  return calls.map(callMistake).find((mistake) => mistake !== undefined);
}

type Call = Extract<Expression, { kind: 'call' }>;

const callsIn = (what: Expression): readonly Call[] =>
  what.kind === 'call' ? [what, ...what.args.flatMap(callsIn)] : [];

function callMistake({ helper, args }: Call): string | undefined {
  if (!isHelper(helper)) return `there is no helper "${helper}"; there are ${helpers.join(', ')}`;
  const [least, most] = takes[helper];
  if (args.length >= least && args.length <= most) return undefined;
  return `"${helper}" takes ${least === most ? '' : `${least} to `}${most} ${most === 1 ? 'value' : 'values'}, not ${args.length}`;
}

/** A tree is asked for its names many times, and never altered. */
const known = new WeakMap<object, readonly Mention[]>();

function mentionsIn(tree: Json): readonly Mention[] {
  if (typeof tree !== 'object' || tree === null) return mentionsInText(tree);
  return getOrCreate(known, tree, () => (Array.isArray(tree) ? tree : Object.values(tree)).flatMap(mentionsIn));
}

function mentionsInText(leaf: Json): readonly Mention[] {
  if (typeof leaf !== 'string' || !isTemplate(leaf)) return [];
  const template = parseTemplate(leaf);
  return template.ok
    ? expressionsOf(template.nodes, 0).flatMap(({ what, depth }) => mentionsOf(what, depth, false))
    : [];
}

/** Every expression, with how many blocks around it change what a bare name means. */
function expressionsOf(
  nodes: readonly Node[],
  depth: number,
): readonly { readonly what: Expression; readonly depth: number }[] {
  return nodes.flatMap((node) => {
    if (typeof node === 'string') return [];
    if (node.kind === 'show') return [{ what: node.what, depth }];
    const inner = node.block === 'each' || node.block === 'with' ? depth + 1 : depth;
    return [{ what: node.of, depth }, ...expressionsOf(node.body, inner), ...expressionsOf(node.otherwise, depth)];
  });
}

function mentionsOf(what: Expression, depth: number, optional: boolean): readonly Mention[] {
  if (what.kind === 'literal') return [];
  if (what.kind === 'call')
    return what.args.flatMap((arg, i) => mentionsOf(arg, depth, optional || (what.helper === 'default' && i === 0)));
  const path = what.data ? (what.path[0] === 'root' ? what.path.slice(1) : []) : what.up === depth ? what.path : [];
  return path.length === 0 ? [] : [{ name: path.join('.'), optional }];
}
