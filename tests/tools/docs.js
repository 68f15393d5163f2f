/**
 * Writes docs/modules/ from schemas/modules/: a page for each module and their list. `--check` writes nothing and fails when a
 * page differs from its schema, so that the reference cannot drift.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const schemas = path.join(root, 'schemas/modules');
const pages = path.join(root, 'docs/modules');
const suffix = '.schema.json';

const modules = () =>
  readdirSync(schemas)
    .filter((file) => file.endsWith(suffix))
    .sort()
    .map((file) => ({
      name: file.slice(0, -suffix.length),
      schema: JSON.parse(readFileSync(path.join(schemas, file), 'utf8')),
    }));

/** The type of a value, in a word or two. */
function typeOf(schema) {
  if (schema.$ref?.endsWith('/condition')) return 'condition';
  if (schema.enum !== undefined) return schema.enum.map((v) => `\`${v}\``).join(', ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return choices.map(typeOf).join(', or ');
  if (schema.type === 'array') return schema.items === undefined ? 'list' : `list of ${typeOf(schema.items)}`;
  if (schema.type === 'string' && schema.pattern?.includes('ms|s|m|h|d')) return 'duration';
  if (schema.type === 'string' && schema.pattern === '^/') return 'path';
  if (schema.format === 'regex') return 'regular expression';
  const types = [schema.type ?? 'any'].flat();
  return types
    .map((type) => ({ string: 'text', boolean: 'true or false', object: 'map', array: 'list' })[type] ?? type)
    .join(' or ');
}

const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const oneLine = (value) =>
  stringify(value, { collectionStyle: 'flow', flowCollectionPadding: true, lineWidth: 0 }).trim();

/** A row for each argument; nested arguments follow it under their dotted names. */
function rows(schema, prefix = '') {
  const required = schema.required ?? [];
  return Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
    const name = `${prefix}${key}`;
    const example = property.examples?.[0];
    const row = [
      `\`${name}\`${required.includes(key) ? ' (required)' : ''}`,
      typeOf(property),
      cell(property.description ?? ''),
      example === undefined ? '' : `\`${cell(oneLine(example)).replaceAll('`', "'")}\``,
    ];
    const variants = [property, ...(property.anyOf ?? []), ...(property.oneOf ?? [])];
    const inner = variants.flatMap((v) => [
      ...rows(v, `${name}.`),
      ...(v.type === 'array' && v.items !== undefined ? rows(v.items, `${name}[].`) : []),
    ]);
    return [row, ...inner];
  });
}

const table = (head, body) =>
  [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const exampleOf = (name, args) =>
  `\`\`\`yaml\n${stringify([{ step: 'A step', [name]: args }], { lineWidth: 100 }).trim()}\n\`\`\``;

function pageOf({ name, schema }) {
  return [
    `<!-- Generated from schemas/modules/${name}${suffix} by \`npm run docs\`. -->`,
    `# ${name}`,
    schema.description,
    ...(schema.$comment === undefined ? [] : [schema.$comment]),
    '## Arguments',
    table(['Argument', 'Value', 'Meaning', 'Example'], rows(schema)),
    ...(schema.examples?.length > 0 ? ['## Examples', ...schema.examples.map((args) => exampleOf(name, args))] : []),
  ].join('\n\n');
}

function indexOf(all) {
  const body = all.map(({ name, schema }) => [`[${name}](${name}.md)`, cell(schema.description)]);
  return [
    '<!-- Generated from schemas/modules/ by `npm run docs`. -->',
    '# Modules',
    'A step names exactly one module and the desired state. A module decides from facts what to do; the engine acts, verifies and undoes. Durations are text such as `500ms`, `30s`, `5m`, `2h`; arguments may contain templates.',
    table(['Module', 'What it does'], body),
  ].join('\n\n');
}

function wanted() {
  const all = modules();
  const texts = [['README.md', indexOf(all)], ...all.map((module) => [`${module.name}.md`, pageOf(module)])];
  return new Map(texts.map(([file, text]) => [file, `${text}\n`]));
}

const found = () => (existsSync(pages) ? readdirSync(pages).filter((file) => file.endsWith('.md')) : []);

const texts = wanted();
const stray = found().filter((file) => !texts.has(file));
const read = (file) => (existsSync(path.join(pages, file)) ? readFileSync(path.join(pages, file), 'utf8') : undefined);
const stale = [...texts].filter(([file, text]) => read(file) !== text).map(([file]) => file);

if (process.argv.includes('--check')) {
  for (const file of stale) console.error(`docs/modules/${file} differs from its schema: npm run docs`);
  for (const file of stray) console.error(`docs/modules/${file} belongs to no module: npm run docs`);
  process.exitCode = stale.length + stray.length === 0 ? 0 : 1;
} else {
  mkdirSync(pages, { recursive: true });
  for (const file of stale) writeFileSync(path.join(pages, file), texts.get(file));
  for (const file of stray) rmSync(path.join(pages, file));
  console.log(`docs/modules: ${stale.length} written, ${texts.size - stale.length} unchanged, ${stray.length} removed`);
}
