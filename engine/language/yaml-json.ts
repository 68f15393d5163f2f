import type { Document } from 'yaml';
import type { Json } from '../terms/json.js';
import { limits } from './yaml-limits.js';
import { type Node, type Yaml, behindAlias } from './yaml-node.js';

export interface NodeMistake {
  readonly offset: number;
  readonly length: number;
  readonly message: string;
  readonly hint?: string;
}

/** A document's data as plain JSON, within the limits of depth and of what aliases may add. Of a mistake the rest is still read. */
export function toJson(yaml: Yaml, document: Document.Parsed): { readonly json: Json; readonly mistakes: readonly NodeMistake[] } {
  const mistakes: NodeMistake[] = [];
  const open = new Set<Node>();
  const spent = { aliasValues: 0 };

  const wrong = (node: Node, message: string, hint?: string): null => {
    const [start, end] = node.range ?? [0, 1];
    if (!mistakes.some((m) => m.offset === start)) mistakes.push({ offset: start, length: end - start, message, ...(hint === undefined ? {} : { hint }) });
    return null;
  };

  const read = (node: Node | null | undefined, depth: number, aliased: boolean): Json => {
    if (node === null || node === undefined) return null;
    if (depth > limits.depth) return wrong(node, `is nested more than ${limits.depth} levels deep`);
    if (aliased && ++spent.aliasValues > limits.aliasValues) return null;
    if (yaml.isAlias(node)) return behind(node, depth);
    if (yaml.isMap(node)) return map(node, depth, aliased);
    if (yaml.isSeq(node)) return node.items.map((item) => read(item as Node | null, depth + 1, aliased));
    return scalar(node);
  };

  const behind = (alias: Node, depth: number): Json => {
    const target = behindAlias(yaml, document, alias);
    if (target === undefined) return wrong(alias, 'is an alias of nothing written before it');
    if (open.has(target)) return wrong(alias, 'is an alias that contains itself');
    open.add(target);
    const json = read(target, depth, true);
    open.delete(target);
    if (spent.aliasValues > limits.aliasValues) return wrong(alias, `aliases make this file grow past ${limits.aliasValues} values`, 'write out what is meant');
    return json;
  };

  const map = (node: Node, depth: number, aliased: boolean): Json => {
    const object: Record<string, Json> = {};
    if (!yaml.isMap(node)) return object;
    for (const { key, value } of node.items) {
      if (!yaml.isScalar(key)) continue;
      const name = String(key.value);
      if (name === '__proto__') wrong(key as Node, 'a key may not be called "__proto__"');
      else object[name] = read(value as Node | null, depth + 1, aliased);
    }
    return object;
  };

  const scalar = (node: Node): Json => {
    const value: unknown = yaml.isScalar(node) ? node.value : null;
    if (typeof value === 'number' && !Number.isFinite(value)) return wrong(node, 'is no number that can be written down', 'put it in quotes if it is text');
    if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
    return wrong(node, `is neither text, number, true, false, list nor map`);
  };

  return { json: read(document.contents, 0, false), mistakes };
}
