import { sizeBytes } from '../../lib/bytes.js';
import { durationMs } from '../../lib/duration.js';
import type { Json, JsonObject } from '../../terms/json.js';
import type { Platform } from '../../terms/playbook.js';
import type { DeclaredType } from '../../terms/schemas/platform/variables.js';

/** A kind of text, or all values that a variable may have. */
export type VariableType = DeclaredType | 'boolean' | 'number';

interface TextForm {
  readonly fits: (text: string) => boolean;
  /** How it is written. */
  readonly form: string;
}

const TEXTS: Readonly<Record<Extract<DeclaredType, string>, TextForm>> = {
  duration: { fits: (text: string) => durationMs(text) !== undefined, form: '90s, 10m or 1h30m' },
  size: { fits: (text: string) => sizeBytes(text) !== undefined, form: '500MB or 10GB' },
  version: { fits: (text: string) => /^\d+(?:\.\d+)*(?:-\S+)?$/.test(text), form: '"4.14.7", in quotes' },
  count: { fits: (text: string) => /^(?:\d+|(?:100|\d{1,2})%)$/.test(text), form: 'a number, or a share as 10%' },
  path: { fits: (text: string) => /^\/\S+$/.test(text), form: 'an absolute path, without spaces' },
  address: {
    fits: (text: string) => /^(?:https?:\/\/)?[\w.-]+(?::\d+)?(?:\/[\w./-]*)?$/.test(text),
    form: 'mirror.example.com/packages/',
  },
};

/** The declared type of a variable, else that of its default; undefined where any value will do. */
export function typeOfVariable({ types, vars }: Platform, name: string): VariableType | undefined {
  if (Object.hasOwn(types, name)) return types[name];
  const value = Object.hasOwn(vars, name) ? vars[name] : undefined;
  return typeof value === 'boolean' ? 'boolean' : typeof value === 'number' ? 'number' : undefined;
}

/** A value of `-e NAME=VALUE`, which is a text, converted to the type; the text itself where it cannot be converted. */
export function decoded(type: VariableType | undefined, value: Json): Json {
  if (typeof value !== 'string') return value;
  if (type === 'boolean' && /^(?:true|false)$/.test(value)) return value === 'true';
  return type === 'number' && /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : value;
}

/** The variables of `-e` by their types: a text that is given for a number or a truth value becomes one. */
export const typedVars = (vars: JsonObject, platform: Platform): JsonObject =>
  Object.fromEntries(
    Object.entries(vars).map(([name, value]) => [name, decoded(typeOfVariable(platform, name), value)]),
  );

/** The mistake in a value, with the form that is right; undefined when there is none. A template is known only in a run. */
export function misfit(type: VariableType, value: Json): { readonly is: string; readonly write?: string } | undefined {
  if (typeof value === 'string' && value.includes('{{')) return undefined;
  if (type === 'boolean') return typeof value === type ? undefined : { is: 'true or false' };
  if (type === 'number') return typeof value === type ? undefined : { is: 'a number', write: 'digits, without quotes' };
  if (typeof type !== 'string') {
    const all = [type.slice(0, -1).join(', '), type.at(-1)].filter((part) => part !== '').join(' or ');
    return typeof value === 'string' && type.includes(value) ? undefined : { is: all };
  }
  const { fits, form } = TEXTS[type];
  if (typeof value === 'string' && (value === '' || fits(value))) return undefined;
  return type === 'count' && typeof value === 'number' && value >= 0
    ? undefined
    : { is: type === 'address' ? 'an address' : `a ${type}`, write: form };
}
