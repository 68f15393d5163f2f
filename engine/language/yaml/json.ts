import type { Document } from 'yaml';
import type { Json } from '../../terms/json.js';
import { limits } from './limits.js';
import type { Node, Targets, Yaml } from './node.js';

export interface NodeMistake {
  readonly offset: number;
  readonly length: number;
  readonly message: string;
  readonly hint?: string;
}

export interface Read {
  readonly json: Json;
  readonly mistakes: readonly NodeMistake[];
  /** What each alias stands for. */
  readonly targets: Targets;
  /** False where an alias stands for nothing, or aliases asked for more values than are allowed. */
  readonly isWhole: boolean;
}

/** A document's data as plain JSON, within the limits of depth and of what aliases may add. Of a mistake the rest is still read. */
export function toJson(yaml: Yaml, document: Document.Parsed): Read {
  const mistakes: NodeMistake[] = [];
  const open = new Set<Node>();
  const spent = { aliasValues: 0, isReported: false };
  const dangling = { is: false };
  const reported = new Set<number>();
  const anchors = new Map<string, Node>();
  const targets = new Map<Node, Node>();
  const exhausted = (): boolean => spent.aliasValues > limits.aliasValues;

  const wrong = (node: Node, message: string, hint?: string): null => {
    const [start, end] = node.range ?? [0, 1];
    if (!reported.has(start))
      mistakes.push({ offset: start, length: end - start, message, ...(hint === undefined ? {} : { hint }) });
    reported.add(start);
    return null;
  };

  const read = (node: Node | null | undefined, depth: number, aliased: boolean): Json => {
    if (node === null || node === undefined) return null;
    if (depth > limits.depth && yaml.isCollection(node))
      return wrong(node, `is nested more than ${limits.depth} levels deep`);
    if (exhausted() || (aliased && ++spent.aliasValues > limits.aliasValues)) return null;
    if (yaml.isAlias(node)) return behind(node, node.source, depth);
    // An alias means the last anchor of its name written before it, and nodes are read in the order written.
    if (node.anchor !== undefined && !aliased) anchors.set(node.anchor, node);
    if (yaml.isMap(node)) return map(node, depth, aliased);
    if (yaml.isSeq(node)) return node.items.map((item) => read(item as Node | null, depth + 1, aliased));
    return scalar(node);
  };

  const behind = (alias: Node, name: string, depth: number): Json => {
    const target = targets.get(alias) ?? anchors.get(name);
    if (target === undefined) {
      dangling.is = true;
      return wrong(alias, 'is an alias of nothing written before it');
    }
    targets.set(alias, target);
    if (open.has(target)) return wrong(alias, 'is an alias that contains itself');
    open.add(target);
    const json = read(target, depth, true);
    open.delete(target);
    if (!exhausted() || spent.isReported) return json;
    spent.isReported = true;
    return wrong(alias, `aliases make this file grow past ${limits.aliasValues} values`, 'write out what is meant');
  };

  const map = (node: Node, depth: number, aliased: boolean): Json => {
    const object: Record<string, Json> = {};
    if (!yaml.isMap(node)) return object;
    for (const { key, value } of node.items) {
      if (!yaml.isScalar(key)) continue;
      const name = String(key.value);
      if (Object.hasOwn(object, name))
        wrong(key, `the key ${JSON.stringify(name)} stands here a second time`, 'take one of them out');
      else if (name === '__proto__') wrong(key as Node, 'a key may not be called "__proto__"');
      else object[name] = read(value as Node | null, depth + 1, aliased);
    }
    return object;
  };

  const scalar = (node: Node): Json => {
    const value: unknown = yaml.isScalar(node) ? node.value : null;
    if (typeof value === 'number' && !Number.isFinite(value))
      return wrong(node, 'is no number that can be written down', 'put it in quotes if it is text');
    if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      return value;
    return wrong(node, `is neither text, number, true, false, list nor map`);
  };

  const json = read(document.contents, 1, false);
  return { json, mistakes, targets, isWhole: !dangling.is && !exhausted() };
}
