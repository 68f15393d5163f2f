import { unifiedDiff } from '../../lib/diff.js';
import type { Event } from '../../terms/event.js';
import { isObject, type Json } from '../../terms/json.js';
import { keyOf } from '../../terms/subject.js';
import { printable, printableLine } from '../style.js';

/** One fact that read otherwise after an act than was predicted. */
export type Difference = Extract<Event, { e: 'observed' }>['differs'][number];

const SHOWN_CHARACTERS = 100;
const SHOWN_LINES = 12;

/** What differed from the plan: the fact, what was predicted of it and what was found. Texts of several lines as a diff. */
export function differenceLines({ ref, predicted, observed }: Difference, whole: boolean): readonly string[] {
  const what = `≠ ${printableLine(ref.fact)}${ref.key === '' ? '' : ` ${short(ref.key)}`} (${printableLine(keyOf(ref.of))})`;
  const texts = [textIn(predicted), textIn(observed)] as const;
  if (texts[0]?.includes('\n') === true && texts[1]?.includes('\n') === true) {
    const diff = unifiedDiff('predicted/found', texts[0], texts[1]).trimEnd().split('\n').slice(2).map(printable);
    const rest = whole ? 0 : diff.length - SHOWN_LINES;
    const lines = rest > 0 ? [...diff.slice(0, SHOWN_LINES), `… ${rest} more lines (--diff)`] : diff;
    return [`${what}: - predicted, + found`, ...lines.map((l) => `  ${l}`)];
  }
  return [`${what}: ${pairs(predicted, observed).join('; ')}`];
}

/** The text of a fact that holds one: of a file, or of an answer. */
function textIn(value: Json): string | undefined {
  if (typeof value === 'string') return value;
  const text = isObject(value) ? value['text'] : undefined;
  return typeof text === 'string' ? text : undefined;
}

/** Of two objects only what differs in them. */
function pairs(predicted: Json, observed: Json): readonly string[] {
  if (!isObject(predicted) || !isObject(observed)) return [`predicted ${show(predicted)}, found ${show(observed)}`];
  const keys = [...new Set([...Object.keys(predicted), ...Object.keys(observed)])];
  return keys
    .filter((key) => JSON.stringify(predicted[key]) !== JSON.stringify(observed[key]))
    .map((key) => `${printableLine(key)} predicted ${show(predicted[key])}, found ${show(observed[key])}`);
}

const show = (value: Json | undefined): string => (value === undefined ? 'nothing' : short(JSON.stringify(value)));
const short = (text: string): string =>
  printableLine(text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text);
