import { count } from '../../lib/count.js';
import type { Json } from '../../terms/json.js';
import { indent, printable, printableLine, styleFor, type Terminal } from '../style.js';
import { cut } from '../width.js';

/** What a name or an expression comes to. */
export type Evaluated =
  { readonly is: 'value'; readonly value: Json; readonly type: string } | { readonly is: 'unknown' | 'mistake' };

export interface EvaluatedName {
  readonly name: string;
  /** Of a host that a macro goes through. */
  readonly host?: string;
  readonly result: Evaluated;
  /** Why it is unknown; of a named check, why it holds or does not. */
  readonly reason?: string;
  readonly source?: string;
}

export interface Evaluation {
  readonly expression: string;
  readonly host?: string;
  readonly result: Evaluated;
  readonly reason?: string;
  readonly names: readonly EvaluatedName[];
}

const MOST_NAMES = 40;
const LONGEST = 100;

/** An expression's value, its type and reason, and each name in it with its value and source. */
export function evalView({ expression, host, result, reason, names }: Evaluation, terminal: Terminal): string {
  const { bold, dim } = styleFor(terminal);
  const [first, ...others] = names;
  // Of one name, its value has been printed.
  const only = others.length === 0 && first?.name === expression.trim() ? first : undefined;
  const facts = [
    ...(result.is === 'value' ? [['type', result.type]] : []),
    ...(host === undefined ? [] : [['host', host]]),
    ...(reason === undefined ? [] : [['reason', reason]]),
    ...(only?.source === undefined ? [] : [['source', only.source]]),
  ].map(([label = '', text = '']) => `${dim(`${label}:`.padEnd(7))} ${printableLine(text)}`);
  const shown = (only === undefined ? names : []).slice(0, MOST_NAMES).flatMap((name) => nameView(name, dim));
  const more = names.length > MOST_NAMES ? [`… and ${count(names.length - MOST_NAMES, 'name')} more (--json)`] : [];
  const table = shown.length === 0 ? [] : ['', ...shown, ...more];
  return [bold(whole(result)), ...facts, ...table].join('\n');
}

/** A structure over several lines, everything else on one. */
function whole(result: Evaluated): string {
  if (result.is !== 'value') return result.is;
  const { value, type } = result;
  return typeof value === 'object' && value !== null
    ? printable(JSON.stringify(value, undefined, 2))
    : printableLine(oneLine(value, type));
}

/** A text as an expression writes it; a version stands without quotes. */
function oneLine(value: Json, type: string): string {
  if (type === 'Version') return typeof value === 'string' ? value : 'not installed';
  return JSON.stringify(value);
}

function nameView({ name, host, result, reason, source }: EvaluatedName, dim: (text: string) => string): string[] {
  const of = host === undefined ? '' : ` of ${host}`;
  const what =
    result.is === 'value'
      ? ` = ${cut(printableLine(oneLine(result.value, result.type)), LONGEST)} ${dim(`(${result.type})`)}`
      : `: ${result.is}`;
  const below = [source, reason].flatMap((text) => (text === undefined ? [] : [indent(printableLine(text), 4)]));
  return [`  ${printableLine(name)}${of}${what}`, ...below];
}
