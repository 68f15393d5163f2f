import { isObject, type JsonObject } from '../terms/json.js';
import { isPattern } from '../lib/pattern.js';
import { objectOf } from './values.js';
import {
  type Check,
  type Installs,
  certificateArgs,
  checks,
  conditionArgs,
  installs,
  modules,
  secretArgs,
  withoutHost,
} from './validators.generated.js';

/** What a module's schema.ts exports. */
export interface ModuleSchema {
  readonly schema: object;
  /** A play on the controller may have it. */
  readonly withoutHost?: boolean;
  /** It installs versions of components: see `installs` of the generated tables. */
  readonly installs?: Installs;
}

/** Of the shipped modules only these can be named any more: those of another platform are unknown. */
export function keepModules(names: ReadonlySet<string>): void {
  for (const name of Object.keys(modules)) if (!names.has(name)) Reflect.deleteProperty(modules, name);
}

/** True for a module whose validator was compiled by the build, or added before. */
export const hasSchema = (name: string): boolean => Object.hasOwn(modules, name) || Object.hasOwn(checks, name);

/**
 * Compiles the schemas of modules that the build does not know, and adds them to the generated tables: loading, checking and
 * messages are those of the shipped modules. Only here is ajv loaded at run time. Rejects when a schema does not compile.
 */
export async function addModuleSchemas(added: Readonly<Record<string, ModuleSchema>>): Promise<void> {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const { schemas } = await import('./schemas.generated.js');
  // As tests/tools/validators.js has it.
  const ajv = new Ajv2020({
    allErrors: true,
    strict: true,
    allowUnionTypes: true,
    strictTypes: false,
    strictRequired: false,
    messages: false,
    formats: { regex: isPattern, certificates: () => true },
  });
  ajv.addVocabulary(['secret']);
  const files = Object.entries(added).map(([name, one]) => ({ name, file: `modules/${name}.schema.json`, ...one }));
  const all = { ...schemas, ...Object.fromEntries(files.map(({ file, schema }) => [file, schema])) };
  for (const [file, schema] of Object.entries(all)) {
    const { $id: _, ...rest } = schema as JsonObject;
    ajv.addSchema(rest, `file:///${file}`);
  }
  for (const { name, file, schema, withoutHost: onController, installs: how } of files) {
    const check = compiled(() => ajv.getSchema(`file:///${file}`) as Check | undefined, name);
    const properties = Object.entries((schema as { properties?: Record<string, JsonObject> }).properties ?? {});
    const namesOf = (is: (property: JsonObject) => boolean): readonly string[] =>
      properties.filter(([, property]) => is(property)).map(([key]) => key);
    put(modules, name, check);
    put(conditionArgs, name, namesOf(isCondition));
    put(
      certificateArgs,
      name,
      namesOf(({ format }) => format === 'certificates'),
    );
    put(secretArgs, name, secretPlaces(schema as JsonObject));
    put(schemas, file, schema as Readonly<Record<string, unknown>>);
    if (how !== undefined) put(installs, name, how);
    if (onController === true) (withoutHost as Set<string>).add(name);
  }
}

function compiled(compile: () => Check | undefined, name: string): Check {
  try {
    const check = compile();
    if (check !== undefined) return check;
  } catch (error) {
    throw new Error(`the schema of the module ${name} does not compile: ${(error as Error).message}`, { cause: error });
  }
  throw new Error(`the module ${name} has no schema`);
}

const isCondition = ({ $ref }: JsonObject): boolean => typeof $ref === 'string' && /#\/\$defs\/condition$/.test($ref);

/** As tests/tools/validators.js has it: `*` is each item or key. */
function secretPlaces(schema: JsonObject, at: readonly string[] = []): readonly (readonly string[])[] {
  if (schema['secret'] === true) return [at];
  const { properties, items, additionalProperties } = schema;
  return [
    ...Object.entries(objectOf(properties)).flatMap(([key, part]) => secretPlaces(objectOf(part), [...at, key])),
    ...[items, additionalProperties].filter(isObject).flatMap((part) => secretPlaces(part, [...at, '*'])),
  ];
}

/** The generated tables are constant everywhere else. */
const put = <V>(table: Readonly<Record<string, V>>, key: string, value: V): void => {
  (table as Record<string, V>)[key] = value;
};
