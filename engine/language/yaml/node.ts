import type { Document, Node as YamlNode, ParsedNode } from 'yaml';

/** The parser, loaded when first needed. */
export type Yaml = typeof import('yaml');
export type Node = YamlNode | ParsedNode;

/** From the top of a file: keys and indexes. */
export type Path = readonly (string | number)[];

/** The nodes at a place. */
export interface NodeAt {
  readonly key?: Node;
  readonly value?: Node;
  /** The nearest node that does exist, when the path leads nowhere. */
  readonly parent?: Node;
}

/** What each alias of a file stands for. */
export type Targets = ReadonlyMap<Node, Node>;

/** The nodes at a path, through aliases: what an alias stands for is where it is written. */
export function nodeAt(yaml: Yaml, document: Document.Parsed, targets: Targets, path: Path): NodeAt {
  let found: NodeAt = found1(document.contents);
  for (const step of path) {
    const holder = found.value === undefined ? undefined : (targets.get(found.value) ?? found.value);
    const next = holder === undefined ? undefined : childOf(yaml, holder, step);
    if (next === undefined) return keep({ parent: holder ?? found.parent, key: found.key });
    found = keep({ ...next, parent: holder });
  }
  return found;
}

function childOf(yaml: Yaml, holder: Node, step: string | number): NodeAt | undefined {
  if (yaml.isMap(holder)) {
    const pair = holder.items.find(({ key }) => yaml.isScalar(key) && String(key.value) === String(step));
    return pair === undefined ? undefined : keep({ key: nodeOf(yaml, pair.key), value: nodeOf(yaml, pair.value) });
  }
  if (yaml.isSeq(holder) && typeof step === 'number') {
    const value = nodeOf(yaml, holder.items[step]);
    return value === undefined ? undefined : { value };
  }
  return undefined;
}

const nodeOf = (yaml: Yaml, value: unknown): Node | undefined => (yaml.isNode(value) ? value : undefined);
const found1 = (value: Node | null): NodeAt => (value === null ? {} : { value });

function keep(found: { key?: Node | undefined; value?: Node | undefined; parent?: Node | undefined }): NodeAt {
  return {
    ...(found.key === undefined ? {} : { key: found.key }),
    ...(found.value === undefined ? {} : { value: found.value }),
    ...(found.parent === undefined ? {} : { parent: found.parent }),
  };
}
