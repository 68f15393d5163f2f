import { isObject, type Json, type JsonObject } from '../../terms/json.js';
import type { Path } from '../yaml/node.js';

type Schemas = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** A schema and the file that it stands in, for its references. */
interface Part {
  readonly file: string;
  readonly schema: JsonObject;
}

/** What a schema says of one place: to explain a mistake there. */
export interface Words {
  readonly keys: readonly string[];
  readonly description?: string;
  readonly examples: readonly Json[];
  readonly pattern?: string;
  /** A condition, or one of its expressions, stands here. */
  readonly isCondition: boolean;
}

const ofCondition = /#\/\$defs\/(?:condition|expression)$/;

/** The words of a schema at a path of the data. Where the schema has branches, those of every branch that may be meant. */
export function wordsAt(schemas: Schemas, file: string, data: Json, path: Path): Words {
  let parts = branches(schemas, { file, schema: schemas[file] as JsonObject }, data);
  let outer: readonly Part[] = [];
  let value: Json | undefined = data;
  for (const step of path) {
    value = isObject(value) ? value[step] : Array.isArray(value) ? (value as readonly Json[])[Number(step)] : undefined;
    outer = parts.flatMap((part) => below(part, step));
    parts = outer.flatMap((part) => branches(schemas, part, value ?? null));
  }
  const description = [...outer, ...parts]
    .map(({ schema }) => schema['description'])
    .find((d) => typeof d === 'string');
  const pattern = parts.map(({ schema }) => schema['pattern']).find((p) => typeof p === 'string');
  return {
    keys: [
      ...new Set(
        parts.flatMap(({ schema }) => (isObject(schema['properties']) ? Object.keys(schema['properties']) : [])),
      ),
    ],
    ...(description === undefined ? {} : { description }),
    ...(pattern === undefined ? {} : { pattern }),
    isCondition: parts.some(({ schema: { $ref } }) => typeof $ref === 'string' && ofCondition.test($ref)),
    examples:
      ([...outer, ...parts].map(({ schema }) => schema['examples']).find((e) => Array.isArray(e)) as
        readonly Json[] | undefined) ?? [],
  };
}

function below({ file, schema }: Part, step: string | number): Part[] {
  const properties = schema['properties'];
  const own =
    isObject(properties) && typeof step === 'string' && Object.hasOwn(properties, step) ? properties[step] : undefined;
  const next = own ?? (typeof step === 'number' ? schema['items'] : schema['additionalProperties']);
  return isObject(next) ? [{ file, schema: next }] : [];
}

/** The schema itself, what it refers to, and its branches; of an `if` that asks for keys, the branch that the data takes. */
function branches(schemas: Schemas, part: Part, data: Json): readonly Part[] {
  const { file, schema } = part;
  const inside: Json[] = ['allOf', 'anyOf', 'oneOf'].flatMap((key) =>
    Array.isArray(schema[key]) ? (schema[key] as Json[]) : [],
  );
  const condition = schema['if'];
  if (isObject(condition)) {
    const wanted = Array.isArray(condition['required']) ? (condition['required'] as readonly Json[]) : [];
    const taken = isObject(data) && wanted.every((key) => typeof key === 'string' && Object.hasOwn(data, key));
    inside.push((taken ? schema['then'] : schema['else']) ?? true);
  }
  const parts = inside.filter(isObject).map((inner) => ({ file, schema: inner }));
  if (typeof schema['$ref'] === 'string') parts.push(...refer(schemas, file, schema['$ref']));
  return [part, ...parts.flatMap((inner) => branches(schemas, inner, data))];
}

function refer(schemas: Schemas, file: string, ref: string): Part[] {
  const [target = '', pointer = ''] = ref.split('#');
  const named =
    target === ''
      ? file
      : Object.keys(schemas).find((name) => new URL(target, `file:///${file}`).pathname === `/${name}`);
  let schema: Json | undefined = named === undefined ? undefined : (schemas[named] as JsonObject | undefined);
  for (const step of pointer.split('/').slice(1)) schema = isObject(schema) ? schema[step] : undefined;
  return named !== undefined && isObject(schema) ? [{ file: named, schema }] : [];
}
