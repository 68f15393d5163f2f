import { ANY, commonType, type NameType } from '../../expressions/types.js';
import { isObject, type Json } from '../../terms/json.js';
import { namesIn } from '../templates/names.js';
import { isTemplate, parseTemplate, type Expression } from '../templates/template.js';

/** The type of what a dotted name leads to. */
export type TypeOf = (path: readonly string[]) => NameType;

/**
 * The type that a written value has once it is rendered. A template that is one name has the type of that name; any other makes text, as the
 * renderer does. What holds a secret is one.
 */
export function typeOfValue(value: Json, typeOf: TypeOf): NameType {
  switch (typeof value) {
    case 'string':
      return isTemplate(value) ? typeOfTemplate(value, typeOf) : 'string';
    case 'number':
      return Number.isInteger(value) ? 'int' : 'double';
    case 'boolean':
      return 'bool';
    default:
      if (isObject(value))
        return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, typeOfValue(one, typeOf)]));
      return value === null ? ANY : typeOfList(value, typeOf);
  }
}

function typeOfList(elements: readonly Json[], typeOf: TypeOf): string {
  const [first = ANY, ...others] = elements.map((one) => typeOfValue(one, typeOf));
  const element = others.reduce(commonType, first);
  return `list<${typeof element === 'string' ? element : ANY}>`;
}

function typeOfTemplate(text: string, typeOf: TypeOf): NameType {
  const template = parseTemplate(text);
  if (!template.ok) return ANY;
  const [only, ...more] = template.nodes;
  if (typeof only === 'object' && only.kind === 'show' && more.length === 0) return typeOfExpression(only.what, typeOf);
  return namesIn(text).some((name) => typeOf(name.split('.')) === 'Secret') ? 'Secret' : 'string';
}

function typeOfExpression(what: Expression, typeOf: TypeOf): NameType {
  if (what.kind === 'literal') return typeOfValue(what.value, typeOf);
  if (what.kind === 'name') return what.data || what.up > 0 ? ANY : typeOf(what.path);
  // Every helper but `default` makes text.
  if (what.helper !== 'default') return 'string';
  const [first = ANY, ...others] = what.args.map((arg) => typeOfExpression(arg, typeOf));
  return others.reduce(commonType, first);
}
