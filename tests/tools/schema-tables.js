/** Tables of keys, made from the JSON schemas: for docs/modules, docs/language.md and docs/inventory.md. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

export const readSchema = (file) => JSON.parse(readFileSync(path.join(root, 'schemas', file), 'utf8'));

/** What a definition that several keys share is called in a table, and where its own table is. */
const SHARED = {
  condition: 'condition',
  tags: 'list of text',
  check: 'name or [check](#checks-in-steps)',
  evidence: '[evidence](#evidence)',
  temporary: '[temporary](#temporary)',
  stepOrBlock: 'steps and blocks',
  entry: 'plays and imports',
  ssh: '[ssh](#ssh)',
  host: '[host](#hosts)',
  group: '[group](#groups)',
  secret: '[secret](#secrets)',
  endpoint: '[endpoint](#endpoints)',
  model: '[model](#model)',
  role: '[role](#roles)',
  fact: '[fact](#facts)',
  invariant: '[invariant](#invariants)',
};

const WORDS = { string: 'text', boolean: 'true or false', object: 'map', array: 'list' };

/** The type of a value, in a word or two. */
export function typeOf({ secret, ...schema }) {
  if (secret === true) return `${typeOf(schema)}, may hold a secret`;
  const shared = schema.$ref?.split('/').at(-1);
  if (shared !== undefined && SHARED[shared] !== undefined) return SHARED[shared];
  if (schema.enum !== undefined) return schema.enum.map((v) => `\`${v}\``).join(', ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return choices.map(typeOf).join(', or ');
  if (schema.type === 'array') {
    if (schema.items === undefined) return 'list';
    const items = typeOf(schema.items);
    return items.startsWith('[') || items.includes(' and ') ? `list: ${items}` : `list of ${items}`;
  }
  if (schema.type === 'string' && /ms\|(s\|m\|h\|d|\[smhd\])/.test(schema.pattern ?? '')) return 'duration';
  if (schema.type === 'string' && schema.pattern === '^/') return 'path';
  if (schema.format === 'regex') return 'regular expression';
  const inner = schema.additionalProperties?.$ref?.split('/').at(-1);
  if (schema.type === 'object' && inner !== undefined && SHARED[inner] !== undefined)
    return `map: name to ${SHARED[inner]}`;
  const types = [schema.type ?? 'any'].flat();
  return types.map((type) => WORDS[type] ?? type).join(' or ');
}

export const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

export const oneLine = (value) =>
  stringify(value, { collectionStyle: 'flow', flowCollectionPadding: true, lineWidth: 0 }).trim();

export const code = (text) => `\`${cell(text).replaceAll('`', "'")}\``;

export const table = (head, body) =>
  [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const exampleOf = (schema) => (schema.examples?.[0] === undefined ? '' : code(oneLine(schema.examples[0])));

/** A row for each key; nested keys follow it under their dotted names. */
export function rowsOf(schema, rowOf, prefix = '') {
  const required = schema.required ?? [];
  return Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
    const name = `${prefix}${key}`;
    const variants = [property, ...(property.anyOf ?? []), ...(property.oneOf ?? [])];
    const inner = variants.flatMap((v) => [
      ...rowsOf(v, rowOf, `${name}.`),
      ...(v.type === 'array' && v.items !== undefined ? rowsOf(v.items, rowOf, `${name}[].`) : []),
      ...(typeof v.additionalProperties === 'object' ? rowsOf(v.additionalProperties, rowOf, `${name}.NAME.`) : []),
    ]);
    return [rowOf(name, property, required.includes(key)), ...inner];
  });
}

const named = (name, required) => `\`${name}\`${required ? ' (required)' : ''}`;

export const argumentTable = (schema) =>
  table(
    ['Argument', 'Value', 'Meaning', 'Example'],
    rowsOf(schema, (name, property, required) => [
      named(name, required),
      typeOf(property),
      cell(property.description ?? ''),
      exampleOf(property),
    ]),
  );

const DEFAULT = / ?Default: (.+?)\.(?= |$)/;

/** A default that the schema has as a value, or its description in words. */
function defaultOf(property) {
  const [, words = ''] = DEFAULT.exec(property.description ?? '') ?? [];
  return property.default === undefined ? words : code(oneLine(property.default));
}

/** The keys of a definition, with their defaults. Module names among a step's keys have pages of their own. */
export const keyTable = (schema) =>
  table(
    ['Key', 'Value', 'Default', 'Meaning', 'Example'],
    rowsOf(withoutModules(schema), (name, property, required) => [
      named(name, required),
      typeOf(property),
      cell(defaultOf(property)),
      cell((property.description ?? '').replace(DEFAULT, '').trim()),
      exampleOf(property),
    ]),
  );

export const withoutModules = (schema) => ({
  ...schema,
  properties: Object.fromEntries(
    Object.entries(schema.properties ?? {}).filter(
      ([, { $ref }]) => $ref?.startsWith('arguments.schema.json') !== true,
    ),
  ),
});
