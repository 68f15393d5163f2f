import { isMap, parseDocument } from 'yaml';

/** A setting that an indexer's file has twice: to the engine `a.b: 1` and `a: {b: 1}` are one, and it starts with neither. */
export function repeatedSetting(text: string): string | undefined {
  const names: string[] = [];
  const walk = (node: unknown, path: string): void => {
    if (!isMap(node)) names.push(path);
    else for (const { key, value } of node.items) walk(value, path === '' ? String(key) : `${path}.${String(key)}`);
  };
  walk(parseDocument(text, { uniqueKeys: false }).contents, '');
  return names.find((name, i) => names.indexOf(name) !== i);
}

/** A key that a dashboard's file has twice in one map, which its reader of YAML refuses; of one that is flat and nested the last counts. */
export function repeatedKey(text: string): string | undefined {
  const error = parseDocument(text).errors.find(({ code }) => code === 'DUPLICATE_KEY');
  return error === undefined ? undefined : `line ${error.linePos?.[0].line ?? 0}`;
}
