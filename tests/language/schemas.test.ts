import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { checkArgs, moduleNames } from '../../engine/language/validate/args.js';
import { isPattern } from '../../engine/lib/pattern.js';
import { isObject, type Json, type JsonObject } from '../../engine/terms/json.js';

const folder = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../schemas');
const read = (file: string): JsonObject => JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as JsonObject;
const modules = readdirSync(path.join(folder, 'modules')).map((file) => file.replace('.schema.json', ''));
const tops = ['playbook', 'platform', 'inventory', 'model'].map((name) => `${name}.schema.json`);
const all = [...tops, 'arguments.schema.json', ...modules.map((name) => `modules/${name}.schema.json`)];

/** Every property of a schema, with a pointer to it. */
function* properties(schema: Json, at = ''): Generator<{ readonly at: string; readonly schema: JsonObject }> {
  if (Array.isArray(schema))
    for (const [i, item] of (schema as readonly Json[]).entries()) yield* properties(item, `${at}/${i}`);
  if (!isObject(schema)) return;
  for (const [key, value] of Object.entries(schema)) {
    if (['examples', 'enum', 'const', 'default'].includes(key)) continue;
    if (key === 'properties' && isObject(value))
      for (const [name, property] of Object.entries(value))
        if (isObject(property)) yield { at: `${at}/properties/${name}`, schema: property };
    yield* properties(value, `${at}/${key}`);
  }
}

describe('schemas', () => {
  test.each(tops)('%s: every property is described, with examples', (file) => {
    const bare = [...properties(read(file))].filter(
      ({ schema }) => typeof schema['$ref'] !== 'string' || Object.keys(schema).length > 1,
    );
    const missing = bare.filter(
      ({ at, schema }) =>
        !at.includes('/then/') && (typeof schema['description'] !== 'string' || !Array.isArray(schema['examples'])),
    );
    expect(missing.map(({ at }) => at)).toEqual([]);
  });

  test('every example fits its schema', () => {
    const ajv = new Ajv2020({ strict: false, formats: { regex: isPattern, certificates: true } });
    for (const file of all) ajv.addSchema(read(file), `file:///${file}`);
    const wrong = all.flatMap((file) =>
      [...properties(read(file))].flatMap(({ at, schema }) => {
        // One object for all examples: ajv compiles each object that it sees.
        const reference = { $ref: `file:///${file}#${at.split('/').map(encodeURIComponent).join('/')}` };
        return ((schema['examples'] ?? []) as readonly Json[])
          .filter((example) => !ajv.validate(reference, example))
          .map((example) => `${file}#${at} ${JSON.stringify(example)} ${ajv.errorsText()}`);
      }),
    );
    expect(wrong).toEqual([]);
  });

  test('an editor finds every module in a step and a temporary', () => {
    const { $defs } = read('playbook.schema.json');
    expect(Object.keys(read('arguments.schema.json')['$defs'] as JsonObject)).toEqual([...modules].sort());
    for (const holder of ['step', 'temporary']) {
      const held = ((($defs as JsonObject)[holder] as JsonObject)['properties'] ?? {}) as JsonObject;
      const named = Object.entries(held)
        .filter(([, property]) => JSON.stringify(property).includes('arguments.schema.json'))
        .map(([name]) => name);
      expect(named.sort()).toEqual([...modules].sort());
    }
  });

  test('the checks made ahead are those of the schemas that are there', () => {
    expect(moduleNames()).toEqual([...modules].sort());
  });
});

describe('arguments once their templates are rendered', () => {
  test.each<[string, Json, readonly string[]]>([
    ['systemctl', { unit: 'a', state: 'started' }, []],
    [
      'systemctl',
      { unit: 5, state: 'running' },
      ['"unit" must be text, and is 5', '"state" is "running", and may be "started", "stopped" or "restarted"'],
    ],
    ['systemctl', { unt: 'a' }, ['systemctl needs "unit"', 'unknown key "unt" in systemctl']],
    ['command', { argv: ['a'], changes: 'nothing', timeout: '5s', stdin: { $secret: 'p' } }, []],
    ['command', { argv: ['a'], changes: 'nothing', timeout: '5s', stdin: { $text: ['a', { $secret: 'p' }] } }, []],
    ['command', { argv: ['a'], changes: 'nothing', timeout: '{{x}}' }, ['"timeout" is "{{x}}", which is invalid']],
    [
      'command',
      { argv: ['a'], changes: 'nothing', timeout: '5s', expect: 'a(' },
      ['"expect" is no regular expression: unterminated group'],
    ],
    ['wait_for', { that: 'fact.health == "green"', timeout: '5s' }, []],
    ['wait_for', { that: ['fact.health == "green"', 'fact.text == "{{"'], timeout: '5s' }, []],
    ['nothing', {}, ['there is no module "nothing"']],
  ])('%s %j', (module, args, expected) => {
    expect(checkArgs(module, args)).toEqual(expected);
  });
});
