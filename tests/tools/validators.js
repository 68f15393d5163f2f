/**
 * Compiles schemas/*.json ahead of time: engine/language/validators.generated.js holds every check as plain code with ajv's own helpers
 * inlined, so that nothing of ajv is loaded at run time; schemas.generated.js holds the schemas' words, loaded only to explain a mistake.
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { _ } from 'ajv/dist/compile/codegen/index.js';
import standaloneModule from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';
import { writeFileSchemas } from './file-schemas.js';
import { writeModuleSchemas } from './module-schemas.js';
import { writeSchema } from './schema-sources.js';
import { writeShipped } from './shipped.js';

const standalone = standaloneModule.default;
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const tops = ['playbook', 'platform', 'inventory', 'model'];

const read = (file) => JSON.parse(readFileSync(path.join(root, 'schemas', file), 'utf8'));
const namesIn = (folder) =>
  readdirSync(path.join(root, 'schemas', folder))
    .filter((file) => file.endsWith('.schema.json'))
    .map((file) => file.slice(0, -'.schema.json'.length))
    .sort();

/** Files refer to one another by relative paths, as editors want it; an `$id` of their own would break that. */
const keyOf = (file) => `file:///${file}`;

/** The step's envelope is checked by itself: what stands under a module's name is left to that module's schema. */
const envelopeOnly = (schema) =>
  JSON.parse(JSON.stringify(schema), (_key, value) =>
    typeof value?.$ref === 'string' && value.$ref.startsWith('arguments.schema.json') ? {} : value,
  );

/** Where a template may stand in the place of a value: in a playbook, before it is rendered. */
const template = { type: 'string', pattern: '\\{\\{' };
const judgesForm = [
  'type',
  'pattern',
  'format',
  'enum',
  'const',
  'minimum',
  'maximum',
  'minLength',
  'oneOf',
  'anyOf',
  'not',
];
const words = ['description', 'examples', 'title', '$comment', 'default'];

/**
 * A module's schema as an editor needs it: each value may be a template as well. (The program drops what such a value's form is judged
 * by, and checks again when it is rendered, by the module's own schema.)
 */
function loosen(schema, name) {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema;
  if (typeof schema.$ref === 'string') return { ...schema, $ref: rebase(schema.$ref, name) };
  const inner = { ...schema };
  for (const key of ['properties', '$defs']) {
    if (inner[key] === undefined) continue;
    inner[key] = Object.fromEntries(Object.entries(inner[key]).map(([k, value]) => [k, allow(loosen(value, name))]));
  }
  for (const key of ['items', 'additionalProperties'])
    if (typeof inner[key] === 'object') inner[key] = allow(loosen(inner[key], name));
  for (const key of ['allOf', 'anyOf', 'oneOf'])
    if (inner[key] !== undefined) inner[key] = inner[key].map((part) => loosen(part, name));
  return inner;
}

const without = (schema, ...keys) => Object.fromEntries(Object.entries(schema).filter(([key]) => !keys.includes(key)));

const rebase = (ref, name) => (ref.startsWith('#') ? `#/$defs/${name}${ref.slice(1)}` : ref.replace('../', ''));

function allow(schema) {
  const plainText = schema.type === 'string' && !judgesForm.some((key) => key !== 'type' && schema[key] !== undefined);
  if (plainText || schema.$ref !== undefined || !judgesForm.some((key) => schema[key] !== undefined)) return schema;
  const said = Object.fromEntries(Object.entries(schema).filter(([key]) => words.includes(key)));
  const judged = Object.fromEntries(Object.entries(schema).filter(([key]) => !words.includes(key)));
  return { ...said, anyOf: [judged, template] };
}

/** schemas/arguments.schema.json: what editors complete a step's arguments from. */
const editorSchema = (modules) => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $comment: 'Generated from schemas/modules by `npm run build`; do not edit.',
  title: 'Arguments',
  description: 'The arguments of each module, as they stand in a playbook: a template may stand for any value.',
  $defs: Object.fromEntries(
    Object.entries(modules).map(([name, schema]) => [name, loosen(without(schema, '$schema', '$id'), name)]),
  ),
});

/** Arguments that are conditions refer to the playbook's definition of one: the rest of the program learns it from there. */
const conditionArgs = (schema) =>
  Object.entries(schema.properties ?? {})
    .filter(([, property]) => /#\/\$defs\/condition$/.test(property.$ref ?? property.allOf?.[0]?.$ref ?? ''))
    .map(([name]) => name);

/** Arguments that name a file of certificates on the controller. */
const certificateArgs = (schema) =>
  Object.entries(schema.properties ?? {})
    .filter(([, property]) => property.format === 'certificates')
    .map(([name]) => name);

/** Where a secret may stand in arguments, as paths; `*` is each item or key. */
const secretArgs = (schema, at = []) => {
  if (schema.secret === true) return [at];
  const each = [schema.items, schema.additionalProperties].filter((part) => typeof part === 'object');
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([key, part]) => secretArgs(part, [...at, key])),
    ...each.flatMap((part) => secretArgs(part, [...at, '*'])),
  ];
};

/** The keys of inventories, steps and temporaries, beside the modules that a step may name. */
const ownKeys = ({ inventory, playbook }, modules) => {
  const keysOf = ({ properties }) => Object.keys(properties).filter((key) => !modules.includes(key));
  const { step, temporary } = playbook.$defs;
  return { inventory: keysOf(inventory), step: keysOf(step), temporary: keysOf(temporary) };
};

/** Writes the generated files; fails with the schema's name when one does not compile. */
export async function writeValidators() {
  await writeFileSchemas();
  const { withoutHost, installs } = await writeModuleSchemas();
  const names = namesIn('modules');
  const checks = namesIn('checks');
  const files = { ...Object.fromEntries(tops.map((t) => [t, `${t}.schema.json`])) };
  for (const name of names) files[`module:${name}`] = `modules/${name}.schema.json`;
  for (const name of checks) files[`check:${name}`] = `checks/${name}.schema.json`;
  const schemas = Object.fromEntries(Object.entries(files).map(([name, file]) => [name, read(file)]));
  for (const file of ['playbook', 'platform']) schemas[file] = envelopeOnly(schemas[file]);
  const editor = editorSchema(Object.fromEntries(names.map((name) => [name, schemas[`module:${name}`]])));
  await writeSchema('arguments.schema.json', editor);

  const ajv = new Ajv2020({
    allErrors: true,
    strict: true,
    allowUnionTypes: true,
    strictTypes: false,
    strictRequired: false,
    messages: false,
    // Here a stand-in; the compiled code takes what the program itself compiles patterns with.
    formats: { regex: () => true, certificates: () => true },
    code: { source: true, esm: true, optimize: 2, formats: _`require('formats')` },
  });
  ajv.addVocabulary(['secret']);
  for (const [name, file] of Object.entries(files)) {
    ajv.addSchema(without(schemas[name], '$id'), keyOf(file));
  }
  const exportsByName = Object.fromEntries(
    Object.entries(files).map(([name, file]) => [exportName(name), keyOf(file)]),
  );
  for (const [name, file] of Object.entries(files)) {
    try {
      ajv.getSchema(keyOf(file));
    } catch (error) {
      throw new Error(`schemas/${files[name]} does not compile: ${error.message}`, { cause: error });
    }
  }
  const code = appending(standalone(ajv, exportsByName));
  const argsOf = (kind, those, found) =>
    Object.fromEntries(those.map((name) => [name, found(schemas[`${kind}:${name}`])]));
  const facade = [
    `export { ${tops.join(', ')} } from 'compiled';`,
    `import * as compiled from 'compiled';`,
    `export const modules = { ${names.map((n) => `${JSON.stringify(n)}: compiled.${exportName(`module:${n}`)}`).join(', ')} };`,
    `export const checks = { ${checks.map((n) => `${JSON.stringify(n)}: compiled.${exportName(`check:${n}`)}`).join(', ')} };`,
    `export const conditionArgs = ${JSON.stringify({ ...argsOf('module', names, conditionArgs), ...argsOf('check', checks, conditionArgs) })};`,
    `export const certificateArgs = ${JSON.stringify(argsOf('module', names, certificateArgs))};`,
    `export const secretArgs = ${JSON.stringify(argsOf('module', names, secretArgs))};`,
    `export const ownKeys = ${JSON.stringify(ownKeys(schemas, names))};`,
    `export const installs = ${JSON.stringify(installs)};`,
    `export const withoutHost = new Set(${JSON.stringify(withoutHost)});`,
  ].join('\n');
  const out = path.join(root, 'engine/language');
  await build({
    stdin: { contents: facade, resolveDir: root },
    outfile: path.join(out, 'validators.generated.js'),
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'node20',
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    logLevel: 'error',
    plugins: [inMemory('compiled', code), inMemory('formats', formats)],
  });
  writeFileSync(path.join(out, 'validators.generated.d.ts'), declarations);
  const texts = Object.fromEntries(Object.entries(files).map(([name, file]) => [file, schemas[name]]));
  writeFileSync(
    path.join(out, 'schemas.generated.js'),
    `export const schemas = JSON.parse(${JSON.stringify(JSON.stringify(texts))});\n`,
  );
  writeFileSync(path.join(out, 'schemas.generated.d.ts'), schemaDeclarations);
}

/** ajv copies all findings so far for each item that has one: with 20,000 wrong plays that is a minute. */
const appending = (code) =>
  `${code.replaceAll(/vErrors\.concat\(([\w.]+\.errors)\)/g, 'appended(vErrors, $1)')}
function appended(all, more) { for (const one of more) all.push(one); return all; }`;

const exportName = (name) => name.replace(/[^A-Za-z0-9]/g, '_');

const inMemory = (name, contents) => ({
  name: 'in-memory',
  setup(bundler) {
    bundler.onResolve({ filter: new RegExp(`^${name}$`) }, () => ({ path: name, namespace: name }));
    bundler.onLoad({ filter: /.*/, namespace: name }, () => ({ contents, resolveDir: root, loader: 'js' }));
  },
});

const formats = `
export { isPattern as regex } from './engine/lib/pattern.ts';
// Whether a file holds any is looked at where files are: by the check of the whole project.
export const certificates = () => true;
`;

const declarations = `/** One finding of a check, as ajv gives it. */
export interface SchemaError {
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly propertyName?: string;
}
/** True when the data fits; its findings are on the function until it is called again. */
export interface Check {
  (data: unknown): boolean;
  errors?: readonly SchemaError[] | null;
}
export const playbook: Check;
export const platform: Check;
export const inventory: Check;
export const model: Check;
/** By module name. */
export const modules: Readonly<Record<string, Check>>;
/** Of steps with \`check\` and \`wait_for\`, after their templates are rendered. */
export const checks: Readonly<Record<string, Check>>;
/** Arguments that are conditions, by module name. */
export const conditionArgs: Readonly<Record<string, readonly string[]>>;
/** Arguments that name a file of certificates on the controller, by module name. */
export const certificateArgs: Readonly<Record<string, readonly string[]>>;
/** Where a secret may stand in arguments, by module name: paths, in which \`*\` is each item or key. */
export const secretArgs: Readonly<Record<string, readonly (readonly string[])[]>>;
/** The keys of inventories, of steps and of what is temporary in them, beside modules. */
export const ownKeys: Readonly<Record<'inventory' | 'step' | 'temporary', readonly string[]>>;
/** How a module installs a version of a component, its argument \`version\`: with this \`state\`, which is its default; of the component whose package its argument \`name\` is, or of this one. */
export interface Installs {
  readonly state: string;
  readonly component?: string;
}
/** Modules that install versions of components. */
export const installs: Readonly<Record<string, Installs>>;
/** Names of modules that act on endpoints, or ask and check; every other one acts on a host. */
export const withoutHost: ReadonlySet<string>;
`;
const schemaDeclarations = `/** The schemas by their path under schemas/. */
export const schemas: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await writeValidators();
  writeShipped();
}
