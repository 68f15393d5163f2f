import { escapePattern } from '../../lib/escape-pattern.js';
import { parseExpression } from '../../expressions/parse.js';
import { isObject, type Json } from '../../terms/json.js';
import { listOf } from '../values.js';

/** What to write instead of a condition in the form of maps, which there was before expressions; undefined where that is not plain. */
export function hintForOld(old: Json): string | undefined {
  const text = expressionOf(old);
  return text === undefined || text.length > LONGEST || !parseExpression(text).ok ? undefined : `write ${quoted(text)}`;
}

const LONGEST = 160;

/** As it must stand in YAML. */
const quoted = (text: string): string => (/^[!"'[{*&]|: | #/.test(text) ? `'${text.replaceAll("'", "''")}'` : text);

function expressionOf(old: Json): string | undefined {
  if (typeof old === 'boolean') return String(old);
  if (!isObject(old)) return undefined;
  const { value, version, ...by } = old;
  if (value !== undefined || version !== undefined) return comparison(value ?? version, by, version !== undefined);
  const [key, ...others] = Object.keys(old);
  if (others.length > 0) return undefined;
  if (key === 'all') return joined(listOf(old['all']).map(expressionOf), ' && ');
  if (key === 'any') return joined(listOf(old['any']).map(expressionOf), ' || ');
  const inner = key === 'not' ? expressionOf(old['not'] ?? null) : undefined;
  return inner === undefined ? undefined : `not(${inner})`;
}

function joined(parts: readonly (string | undefined)[], by: string): string | undefined {
  const known = parts.filter((part) => part !== undefined);
  if (known.length === 0 || known.length < parts.length) return undefined;
  return known.map((part) => (known.length > 1 && / && | \|\| /.test(part) ? `(${part})` : part)).join(by);
}

function comparison(of: Json | undefined, by: Readonly<Record<string, Json>>, asVersion: boolean): string | undefined {
  const name = operand(of ?? null);
  if (name === undefined) return undefined;
  const isVersion = /^(?:installed|previous)\.|^platform\.target$/.test(name);
  const subject = asVersion && !isVersion ? `version(${name})` : name;
  const parts = Object.entries(by).map(([key, to]) => compared(subject, key, to, asVersion));
  return parts.length === 0 ? subject : joined(parts, ' && ');
}

const OPERATORS: Readonly<Record<string, string>> = {
  is: '==',
  not: '!=',
  in: 'in',
  at_least: '>=',
  at_most: '<=',
  above: '>',
  below: '<',
};

function compared(subject: string, key: string, to: Json, asVersion: boolean): string | undefined {
  const [operator, written] = [OPERATORS[key], operand(to)];
  if (key === 'exists') return to === true ? `has(${subject})` : `!has(${subject})`;
  if (key === 'matches')
    return typeof to === 'string' && !to.includes('"') && !to.includes('{{') ? `${subject}.like(r"${to}")` : undefined;
  if (written === undefined) return undefined;
  if (key === 'contains') return typeof to === 'string' ? `${subject}.like(r"${escapePattern(to)}")` : undefined;
  if (operator === undefined) return undefined;
  // "4.12" was every 4.12.x: at most that is below 4.13.
  const line = asVersion && typeof to === 'string' ? /^(\d+\.)(\d+)$/.exec(to) : null;
  if (line === null || key === 'at_least' || key === 'below') return `${subject} ${operator} ${written}`;
  const next = `"${line[1] ?? ''}${Number(line[2]) + 1}"`;
  if (key === 'at_most' || key === 'above') return `${subject} ${key === 'above' ? '>=' : '<'} ${next}`;
  return key === 'is' ? `${subject} >= ${written} && ${subject} < ${next}` : undefined;
}

/** A name from its template, a literal, or a list of these. */
function operand(json: Json): string | undefined {
  if (typeof json === 'number' || typeof json === 'boolean') return String(json);
  if (Array.isArray(json)) {
    const items = (json as readonly Json[]).map(operand);
    return items.includes(undefined) ? undefined : `[${items.join(', ')}]`;
  }
  if (typeof json !== 'string') return undefined;
  if (!json.includes('{{')) return JSON.stringify(json);
  const name = /^\{\{\s*([a-z]\w*(?:\.\w+)+)\s*\}\}$/.exec(json)?.[1];
  return name === undefined || /^(?:fresh|item|role|secret)\./.test(name)
    ? undefined
    : name.replace(/^from\./, 'previous.');
}
