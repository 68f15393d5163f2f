/** Reads the shipped playbooks ahead of time into engine/language/shipped.generated.js, by the hash of their text. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { LineCounter, isMap, isSeq, parseDocument } from 'yaml';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** A file as data, with where each element of its lists begins; undefined when the parser finds fault or an alias stands in it. */
function readFile(text) {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
  if (document.errors.length + document.warnings.length > 0) return undefined;
  const places = {};
  const visit = (node, at) => {
    if (isMap(node)) for (const { key, value } of node.items) visit(value, [...at, key.value]);
    if (!isSeq(node)) return;
    for (const [i, item] of node.items.entries()) {
      // A map is pointed at by its first key, as everywhere.
      const shown = isMap(item) ? (item.items[0]?.key ?? item) : item;
      if (['plays', 'steps', 'invariants'].includes(at.at(-1)) && shown?.range) {
        const { line, col } = lines.linePos(shown.range[0]);
        places[[...at, i].join('/')] = [line, col];
      }
      visit(item, [...at, i]);
    }
  };
  visit(document.contents, []);
  return { json: document.toJS({ maxAliasCount: 100 }), places };
}

/** Writes the generated file and its types. */
export function writeShipped() {
  const folder = path.join(root, 'playbooks');
  const files = existsSync(folder)
    ? readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('.yaml'))
    : [];
  const read = files.flatMap((file) => {
    const text = readFileSync(path.join(folder, file), 'utf8');
    const found = readFile(text);
    return found === undefined ? [] : [[createHash('sha256').update(text).digest('hex'), found]];
  });
  const out = path.join(root, 'engine/language/shipped.generated');
  writeFileSync(
    `${out}.js`,
    `export const shipped = JSON.parse(${JSON.stringify(JSON.stringify(Object.fromEntries(read)))});\n`,
  );
  writeFileSync(`${out}.d.ts`, declarations);
}

const declarations = `import type { Json } from '../terms/json.js';
/** Shipped files by the SHA-256 of their text: their data, and line and column of plays, steps and invariants by path. */
export const shipped: Readonly<Record<string, { readonly json: Json; readonly places: Readonly<Record<string, readonly [number, number]>> }>>;
`;
