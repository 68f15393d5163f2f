import { isObject, type Json } from '../../terms/json.js';
import { isText, showText } from '../../terms/secret.js';
import { evaluate, type Frame, type Here, settled, show } from '../expression.js';
import { all, joinTexts, type Rendered, type Scope, value, wrong } from './rendered.js';
import { type Block, type Expression, isTemplate, type Node, parseTemplate } from './template.js';

/**
 * Renders each leaf of a tree; keys stay. A leaf that is exactly one `{{…}}` keeps the type of what it names, in others only text,
 * numbers and booleans may stand. What is named is data: `{{` in it means nothing. Secrets stay references (`{$secret}`, `{$text}`).
 * Unknown when any leaf is, with every cause; wrong before unknown. A tree without a template is returned as it is.
 */
export function render(tree: Json, scope: Scope): Rendered {
  if (typeof tree === 'string') return renderText(tree, scope);
  if (isPlain(tree)) return value(tree);
  if (Array.isArray(tree))
    return all(
      (tree as readonly Json[]).map((v) => render(v, scope)),
      (values) => values,
    );
  if (!isObject(tree)) return value(tree);
  const keys = Object.keys(tree);
  return all(
    keys.map((key) => render(tree[key] ?? null, scope)),
    (values) => Object.fromEntries(keys.map((key, i) => [key, values[i] ?? null])),
  );
}

/** Whether a tree holds no template at all, asked once of each: trees come from files and are never altered. */
const plainness = new WeakMap<object, boolean>();

function isPlain(tree: Json): boolean {
  if (typeof tree === 'string') return !isTemplate(tree);
  if (typeof tree !== 'object' || tree === null) return true;
  const before = plainness.get(tree);
  if (before !== undefined) return before;
  const plain = (Array.isArray(tree) ? (tree as readonly Json[]) : Object.values(tree)).every(isPlain);
  plainness.set(tree, plain);
  return plain;
}

/** A text that is only shown: `(unknown)` stands for whatever cannot be, and a secret by its name. It decides nothing, so it never fails. */
export function renderShown(text: string, scope: Scope): string {
  const template = parseTemplate(text);
  const shown = template.ok ? compose(template.nodes, { scope, frames: [], shown: true }) : value(text);
  return shown.is === 'value' && isText(shown.value) ? showText(shown.value) : text;
}

const GAP = value('(unknown)');

function renderText(text: string, scope: Scope): Rendered {
  if (!isTemplate(text)) return value(text);
  const template = parseTemplate(text);
  if (!template.ok) return wrong(template.message);
  const here: Here = { scope, frames: [] };
  const [only, ...more] = template.nodes;
  if (typeof only === 'object' && only.kind === 'show' && more.length === 0) return settled(evaluate(only.what, here));
  return compose(template.nodes, here);
}

/** Text out of nodes; with secrets in it, `{$text}`. */
function compose(nodes: readonly Node[], here: Here): Rendered {
  return all(
    nodes.map((node) =>
      typeof node === 'string'
        ? value(node)
        : node.kind === 'block'
          ? renderBlock(node, here)
          : asText(node.what, here),
    ),
    joinTexts,
  );
}

function asText(what: Expression, here: Here): Rendered {
  const text = textOf(what, here);
  return here.shown === true && text.is !== 'value' ? GAP : text;
}

function textOf(what: Expression, here: Here): Rendered {
  const found = settled(evaluate(what, here));
  if (found.is !== 'value' || isText(found.value)) return found;
  if (typeof found.value === 'number' || typeof found.value === 'boolean') return value(String(found.value));
  const kind = found.value === null ? 'nothing (null)' : Array.isArray(found.value) ? 'a list (join it)' : 'an object';
  return wrong(`"{{${show(what)}}}" is ${kind}: it cannot stand inside a text`);
}

/** Handlebars' own: an empty list is false too. */
const isTrue = (v: Json): boolean => Boolean(v) && !(Array.isArray(v) && v.length === 0);

function renderBlock(node: Extract<Node, { kind: 'block' }>, here: Here): Rendered {
  const of = settled(evaluate(node.of, here));
  if (of.is !== 'value') return here.shown === true ? GAP : of;
  const rendered = (frames: readonly Frame[]): Rendered =>
    all(
      frames.map((frame) => compose(node.body, { ...here, frames: [...here.frames, frame] })),
      joinTexts,
    );
  const otherwise = (): Rendered => compose(node.otherwise, here);
  const blocks: Readonly<Record<Block, () => Rendered>> = {
    if: () => compose(isTrue(of.value) ? node.body : node.otherwise, here),
    unless: () => compose(isTrue(of.value) ? node.otherwise : node.body, here),
    with: () => (isTrue(of.value) ? rendered([{ value: of.value, data: {} }]) : otherwise()),
    each: () => {
      if (typeof of.value !== 'object')
        return wrong(`"#each" takes a list or an object; "${show(node.of)}" is neither`);
      const frames = elements(of.value);
      return frames.length === 0 ? otherwise() : rendered(frames);
    },
  };
  return blocks[node.block]();
}

function elements(of: Json): readonly Frame[] {
  const entries = Object.entries(of ?? {}) as readonly (readonly [string, Json])[];
  return entries.map(([key, element], index) => ({
    value: element,
    data: { key, index, first: index === 0, last: index === entries.length - 1 },
  }));
}
