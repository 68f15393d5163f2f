/**
 * Writes the schemas of what the program writes (type-schema.ts) and the reference pages: docs/modules/ from the modules' folders, docs/language.md, docs/inventory.md and docs/model.md from the other schemas and
 * from tests/tools/pages/, docs/checks.md from the playbooks. `--check` writes nothing and fails when a page differs, so that the reference cannot drift, and when the
 * language has more concepts than concepts.js allows.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { stringify } from 'yaml';
import { FUNCTION_NAMES } from '../../engine/expressions/call.ts';
import { helpers } from '../../engine/language/templates/template.ts';
import { REASONS } from './check-reasons.ts';
import { COLUMNS, checkRows, reasonOf } from './check-rows.ts';
import { CEILING, TARGET, conceptLine, conceptsOf, countOf, expressionRoots } from './concepts.js';
import { moduleFolders, paragraphsOf } from './module-schemas.js';
import { FUNCTIONS, HELPERS, NAMES } from './name-texts.js';
import { argumentTable, cell, code, keyTable, readSchema, root, table } from './schema-tables.js';
import { PUBLISHED, typeSchema } from './type-schema.ts';

const suffix = '.schema.json';
const docs = path.join(root, 'docs');

const modules = () =>
  moduleFolders()
    .filter(({ name }) => existsSync(path.join(root, `schemas/modules/${name}${suffix}`)))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((module) => ({ ...module, schema: readSchema(`modules/${module.name}${suffix}`) }));

const exampleOf = (name, args) =>
  `\`\`\`yaml\n${stringify([{ step: 'A step', [name]: args }], { lineWidth: 100 }).trim()}\n\`\`\``;

function pageOf({ name, folder, schema }) {
  return [
    `<!-- Generated from README.md and schema.ts in ${folder}/ by \`npm run docs\`. -->`,
    `# ${name}`,
    ...paragraphsOf({ folder }),
    '## Arguments',
    argumentTable(schema),
    ...(schema.examples?.length > 0 ? ['## Examples', ...schema.examples.map((args) => exampleOf(name, args))] : []),
  ].join('\n\n');
}

const tableOf = (some) =>
  table(
    ['Module', 'What it does'],
    some.map(({ name, schema }) => [`[${name}](${name}.md)`, cell(schema.description)]),
  );

function indexOf(all) {
  const isGeneral = ({ folder }) => folder.startsWith('engine/modules/');
  return [
    '<!-- Generated from the folders of the modules by `npm run docs`. -->',
    '# Modules',
    'A step names exactly one module and the desired state. A module decides from facts what to do; the engine acts and verifies. Durations are text such as `500ms`, `30s`, `5m`, `2h`; arguments may contain templates.',
    '## General modules',
    tableOf(all.filter(isGeneral)),
    '## Modules of the security monitoring platform',
    'They know its interfaces. Sections (§) are those of its upgrade specification.',
    tableOf(all.filter((module) => !isGeneral(module))),
  ].join('\n\n');
}

/** The texts of all that exist, and of nothing else. */
function agree(kind, described, existing) {
  const missing = existing.filter((name) => !described.includes(name));
  const stray = described.filter((name) => !existing.includes(name));
  if (missing.length + stray.length > 0)
    throw new Error(`tests/tools/name-texts.js: ${kind} without a text: [${missing}]; that do not exist: [${stray}]`);
}

const rootsIn = (place) =>
  Object.entries(NAMES)
    .filter(([name, [where]]) => where.includes(place) && !['GROUP.NAME', 'CHECK'].includes(name))
    .map(([name]) => name.split('.')[0]);

const rows = await checkRows();

/** What stands in a page for `@@ KIND ARGUMENTS @@`. */
const PARTS = {
  concepts: () => conceptLine(),
  checks: () =>
    table(
      ['Check', ...COLUMNS.map(code)],
      rows.map((row) => [
        cell(row.title),
        ...COLUMNS.map((column) => row.cells.get(column) ?? `— (${reasonOf(row, column) + 1})`),
      ]),
    ),
  reasons: () => REASONS.map(({ reason }, i) => `${i + 1}. ${reason}`).join('\n'),
  keys: (file, part) => {
    const schema = readSchema(`${file}${suffix}`);
    if (part === undefined) return keyTable(outermost(schema));
    return keyTable(schema.$defs[part] ?? schema.properties[part].additionalProperties);
  },
  names: () => {
    agree('names', rootsIn('E'), expressionRoots());
    return table(
      ['Name', 'In', 'What', 'Known'],
      Object.entries(NAMES).map(([name, [where, what, known]]) => [code(name), where, cell(what), known]),
    );
  },
  functions: () => {
    agree('functions', Object.keys(FUNCTIONS), [...FUNCTION_NAMES]);
    return table(
      ['Function', 'What'],
      Object.values(FUNCTIONS).map(([form, what]) => [code(form), cell(what)]),
    );
  },
  helpers: () => {
    agree('helpers', Object.keys(HELPERS), [...helpers]);
    return table(
      ['Helper', 'What'],
      Object.values(HELPERS).map(([form, what]) => [code(form), cell(what)]),
    );
  },
};

/** The keys of a file without those of its named checks, which have a table of their own. */
function outermost(schema) {
  const { checks, ...properties } = schema.properties;
  return checks === undefined
    ? schema
    : { ...schema, properties: { ...properties, checks: { ...checks, additionalProperties: true } } };
}

function pageFrom(file, source = 'schemas/') {
  const text = readFileSync(path.join(root, 'tests/tools/pages', file), 'utf8').trim();
  const filled = text.replaceAll(/^@@ (.+) @@$/gm, (_, call) => {
    const [kind, ...args] = call.split(' ');
    return PARTS[kind](...args);
  });
  return `<!-- Generated from ${source} and tests/tools/pages/${file} by \`npm run docs\`. -->\n\n${filled}`;
}

async function wanted() {
  const options = { parser: 'json', ...(await resolveConfig(path.join(root, 'schemas', 'any.schema.json'))) };
  const all = modules();
  const texts = [
    ['modules/README.md', indexOf(all)],
    ...all.map((module) => [`modules/${module.name}.md`, pageOf(module)]),
    ['language.md', pageFrom('language.md')],
    ['inventory.md', pageFrom('inventory.md')],
    ['model.md', pageFrom('model.md')],
    ['checks.md', pageFrom('checks.md', 'playbooks/')],
  ];
  const schemas = PUBLISHED.map(async (one) => [
    `../schemas/${one.file}`,
    await format(JSON.stringify(typeSchema(one)), options),
  ]);
  return new Map([...texts.map(([file, text]) => [file, `${text}\n`]), ...(await Promise.all(schemas))]);
}

const texts = await wanted();
const pages = path.join(docs, 'modules');
const found = existsSync(pages) ? readdirSync(pages).filter((file) => file.endsWith('.md')) : [];
const stray = found.map((file) => `modules/${file}`).filter((file) => !texts.has(file));
const read = (file) => (existsSync(path.join(docs, file)) ? readFileSync(path.join(docs, file), 'utf8') : undefined);
const stale = [...texts].filter(([file, text]) => read(file) !== text).map(([file]) => file);

const concepts = conceptsOf();
const count = countOf(concepts);
if (count > CEILING) {
  console.error(`the language has ${count} concepts; at most ${CEILING} are allowed, and the target is ${TARGET}:`);
  for (const [kind, names] of Object.entries(concepts)) console.error(`  ${kind}: ${names.join(' ')}`);
}

if (process.argv.includes('--check')) {
  for (const file of stale) console.error(`docs/${file} differs from what it is made from: npm run docs`);
  for (const file of stray) console.error(`docs/${file} belongs to no module: npm run docs`);
  process.exitCode = stale.length + stray.length === 0 && count <= CEILING ? 0 : 1;
} else {
  mkdirSync(pages, { recursive: true });
  for (const file of stale) writeFileSync(path.join(docs, file), texts.get(file));
  for (const file of stray) rmSync(path.join(docs, file));
  console.log(`docs: ${stale.length} written, ${texts.size - stale.length} unchanged, ${stray.length} removed`);
}
