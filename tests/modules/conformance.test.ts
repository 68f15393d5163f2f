import { describe, expect, test } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { modules } from '../../engine/cli/platforms.js';
import { isPattern } from '../../engine/lib/pattern.js';
import { isObject, type Json, type JsonObject } from '../../engine/terms/json.js';
import { mapTexts, showText } from '../../engine/terms/secret.js';
import { casesOf, namesOfTables } from './case-table.js';
import { broken } from './laws.js';

const root = new URL('../../', import.meta.url);
/** Of modules that authors name, and of the two that a step with `check` or `wait_for` has. */
const FOLDERS = ['modules', 'checks'];
const schemaFiles = (): readonly string[] =>
  FOLDERS.flatMap((folder) =>
    readdirSync(new URL(`schemas/${folder}/`, root))
      .filter((file) => file.endsWith('.schema.json'))
      .map((file) => `${folder}/${file}`),
  );
const nameOf = (file: string): string => file.replace(/^.*\/|\.schema\.json$/g, '');
const fileOf = (name: string): string | undefined => schemaFiles().find((file) => nameOf(file) === name);
const read = (file: string): JsonObject =>
  JSON.parse(readFileSync(new URL(`schemas/${file}`, root), 'utf8')) as JsonObject;

/** Files refer to one another by relative paths, as editors want it. */
const address = (file: string): string => `file:///${file}`;
const ajv = new Ajv2020({
  strict: true,
  allowUnionTypes: true,
  strictTypes: false,
  strictRequired: false,
  allErrors: true,
  formats: { regex: isPattern, certificates: true },
});
/** The playbook's definitions without its references back to the modules. */
const definitions = (): JsonObject =>
  JSON.parse(JSON.stringify(read('playbook.schema.json')), (_key, value: Json) =>
    isObject(value) && typeof value['$ref'] === 'string' && /^(?:modules\/|arguments\.)/.test(value['$ref'])
      ? {}
      : value,
  ) as JsonObject;
ajv.addVocabulary(['secret']);
ajv.addSchema(definitions(), address('playbook.schema.json'));
for (const file of schemaFiles()) ajv.addSchema(read(file), address(file));

/** `$defs` and the like included. */
function validator(name: string, at = ''): ValidateFunction {
  const found = ajv.getSchema(`${address(fileOf(name) ?? '')}#${at}`);
  if (found === undefined) throw new Error(`no schema for ${name}${at}`);
  return found;
}

/** Conditions and secrets reach a module as what they came to; a schema describes them as they are written. */
const asWritten = (name: string, args: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(args).map(([k, v]) => [
      k,
      ((modules.get(name)?.conditions ?? []) as readonly string[]).includes(k) ? true : mapTexts(v, showText),
    ]),
  );

test('each module has a schema, a table and a page, and none of them is without its module', () => {
  const names = [...modules.keys()].sort();
  expect(schemaFiles().map(nameOf).sort()).toEqual(names);
  expect([...namesOfTables()].sort()).toEqual(names);
  const pages = names.filter((name) => fileOf(name)?.startsWith('modules/'));
  expect(pages.filter((name) => !existsSync(new URL(`docs/modules/${name}.md`, root)))).toEqual([]);
});

describe.each([...modules.values()].map((module) => ({ module, name: module.name })))('$name', ({ module, name }) => {
  // What is not there is the business of the test above, which names it.
  const file = fileOf(name);
  const schema = file === undefined ? {} : read(file);
  const cases = namesOfTables().includes(name) ? casesOf(name) : [];

  test('describes every argument, with examples that its schema accepts', () => {
    expect(undescribed(schema, '')).toEqual([]);
    const wrong = examplesOf(schema, '').flatMap(({ at, example }) => {
      const validate = validator(name, at);
      return validate(example) ? [] : [`${at}: ${ajv.errorsText(validate.errors)}`];
    });
    expect(wrong).toEqual([]);
  });

  test('has cases of different names, whose arguments its schema accepts', () => {
    const validate = validator(name);
    const wrong = cases.flatMap((row) =>
      validate(asWritten(name, row.args)) ? [] : [`${row.case}: ${ajv.errorsText(validate.errors)}`],
    );
    expect(wrong).toEqual([]);
    expect(new Set(cases.map((row) => row.case)).size).toBe(cases.length);
  });

  for (const row of cases) {
    test(`${row.case}: keeps the laws`, () => {
      expect(broken(module, row)).toEqual([]);
    });
  }
});

/** Pointers to the schemas below a schema: what is a property, an item or an alternative. */
function children(
  schema: JsonObject,
  at: string,
): readonly { readonly at: string; readonly schema: JsonObject; readonly isValue: boolean }[] {
  const named = (['properties', '$defs'] as const).flatMap((key) =>
    Object.entries(isObject(schema[key]) ? schema[key] : {}).map(([k, v]) => ({
      at: `${at}/${key}/${escape(k)}`,
      schema: v,
      isValue: true,
    })),
  );
  const single = (['items', 'additionalProperties'] as const).map((key) => ({
    at: `${at}/${key}`,
    schema: schema[key],
    isValue: true,
  }));
  const listed = (['anyOf', 'oneOf', 'allOf'] as const).flatMap((key) =>
    ((schema[key] ?? []) as readonly Json[]).map((v, i) => ({ at: `${at}/${key}/${i}`, schema: v, isValue: false })),
  );
  return [...named, ...single, ...listed].flatMap((c) => (isObject(c.schema) ? [{ ...c, schema: c.schema }] : []));
}

const escape = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

function undescribed(schema: JsonObject, at: string, isValue = true): readonly string[] {
  const lacks = ['description', 'examples']
    .filter((word) => isValue && !(word in schema))
    .map((word) => `${at === '' ? 'the schema' : at} has no ${word}`);
  const open = schema['type'] === 'object' && !('additionalProperties' in schema) ? [`${at} allows any other key`] : [];
  return [...lacks, ...open, ...children(schema, at).flatMap((c) => undescribed(c.schema, c.at, c.isValue))];
}

function examplesOf(schema: JsonObject, at: string): readonly { readonly at: string; readonly example: Json }[] {
  const own = ((schema['examples'] ?? []) as readonly Json[]).map((example) => ({ at, example }));
  return [...own, ...children(schema, at).flatMap((c) => examplesOf(c.schema, c.at))];
}
