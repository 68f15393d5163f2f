import { durationMs } from '../lib/duration.js';
import { nearest } from '../lib/nearest.js';
import { isObject, type Json, type JsonObject } from '../terms/json.js';
import type { Mistakes, Spot } from './mistakes.js';
import { suggest } from './mistakes.js';
import { objectOf, textOf } from './values.js';

type ParamType = 'string' | 'number' | 'boolean' | 'duration' | 'list';

/** Values given to a playbook's parameters, and where each is written. */
export interface Given {
  readonly values: JsonObject;
  readonly spot: (name: string) => Spot;
  /** Where a value that is missing should have been given. */
  readonly here: Spot;
  /** Where a parameter's default is written. */
  readonly declared: (name: string) => Spot;
  /** Unknown names are told elsewhere. */
  readonly others?: boolean;
}

/** The parameters of a playbook as given or by default; tells unknown, missing and mistyped ones. */
export function bindParams(declared: JsonObject, given: Given, mistakes: Mistakes): JsonObject {
  const names = Object.keys(declared);
  for (const name of Object.keys(given.values)) {
    if (names.includes(name) || given.others === true) continue;
    mistakes.at({ ...given.spot(name), on: 'key' }, `unknown parameter "${name}"`, {
      hint: suggest(nearest(name, names), names, 'parameters'),
    });
  }
  const bound: Record<string, Json> = {};
  for (const name of names) {
    const { type, default: fallback } = objectOf(declared[name]);
    const value = Object.hasOwn(given.values, name) ? given.values[name] : fallback;
    // What is wrong has been told; the name is known all the same.
    bound[name] = null;
    if (value === undefined)
      mistakes.at(given.here, `the parameter "${name}" has no value`, {
        hint: textOf(objectOf(declared[name])['description']) ?? 'it has no default',
      });
    else if (!fits(value, textOf(type) as ParamType | undefined)) {
      const spot = Object.hasOwn(given.values, name) ? given.spot(name) : given.declared(name);
      mistakes.at(spot, `the parameter "${name}" must be ${paramKinds[textOf(type) ?? ''] ?? 'of its type'}`);
    } else bound[name] = value;
  }
  return bound;
}

/** The declared types of a playbook's parameters. */
export const paramTypesOf = (declared: JsonObject): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(declared).flatMap(([name, param]) => {
      const type = textOf(objectOf(param)['type']);
      return type === undefined ? [] : [[name, type]];
    }),
  );

const paramKinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
  duration: 'a duration such as 10m',
  list: 'a list',
};

/** Does a value have the parameter's type? A template's will be seen when it is used. */
function fits(value: Json, type: ParamType | undefined): boolean {
  if (typeof value === 'string' && value.includes('{{')) return true;
  switch (type) {
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type;
    case 'duration':
      return typeof value === 'string' && durationMs(value) !== undefined;
    case 'list':
      return Array.isArray(value);
    case undefined:
      return true;
  }
}

const wholeName = /^\{\{\s*param\.([\w-]+)\s*\}\}$/;
const anyName = /\{\{\s*param\.([\w-]+)\s*\}\}/g;

/** Puts the outer playbook's parameters into what it gives to an import: inside, `param` is another's. */
export function passOn(tree: Json, params: JsonObject): Json {
  if (typeof tree === 'string') return passText(tree, params);
  if (Array.isArray(tree)) return (tree as readonly Json[]).map((item) => passOn(item, params));
  if (isObject(tree))
    return Object.fromEntries(Object.entries(tree).map(([key, value]) => [key, passOn(value, params)]));
  return tree;
}

function passText(text: string, params: JsonObject): Json {
  const whole = wholeName.exec(text)?.[1];
  if (whole !== undefined) return params[whole] ?? text;
  return text.replace(anyName, (written, name: string) => {
    const value = params[name];
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : written;
  });
}
