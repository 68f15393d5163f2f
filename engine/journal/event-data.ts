import type { Event } from '../terms/event.js';
import type { Json } from '../terms/json.js';

/** Fields that name something, of an event or of a part of one: a run decides and is resumed by them, so they are never altered. */
const NAMES: ReadonlySet<string> = new Set([
  ...[
    'e',
    'is',
    'as',
    'by',
    'why',
    'verdict',
    'do',
    'sign',
    'run',
    'verb',
    'hash',
    'playbook',
    'inventory',
    'target',
    'spec',
  ],
  ...[
    'play',
    'within',
    'block',
    'members',
    'name',
    'task',
    'step',
    'module',
    'on',
    'host',
    'hosts',
    'without',
    'item',
    'batch',
    'versions',
  ],
  ...['ref', 'touches', 'dependsOn', 'restoring', 'untouched', 'untouchedOn', 'notRestored'],
]);

/** Fields that hold further fields of the engine's own; every other value is data of a host or an author. */
const PARTS: ReadonlySet<string> = new Set([
  ...['change', 'restoredBy', 'made', 'predicts', 'actions', 'outcome', 'differs'],
]);

/** An event with its data altered and its names kept. Where nothing is altered it is the same object. */
export const alterData = (event: Event, alter: (value: Json) => Json): Event =>
  alterPart(event as unknown as Json, alter) as unknown as Event;

function alterPart(part: Json, alter: (value: Json) => Json): Json {
  if (typeof part !== 'object' || part === null) return alter(part);
  if (Array.isArray(part)) return mapList(part as readonly Json[], (one) => alterPart(one, alter));
  return mapFields(part as Fields, (value, key) => {
    if (NAMES.has(key)) return value;
    if (PARTS.has(key)) return alterPart(value, alter);
    // Items are known by their names: the keys of an event's, the list of an action's.
    if (key === 'items') return Array.isArray(value) ? value : mapFields(value as Fields, alter);
    return alter(value);
  });
}

type Fields = Readonly<Record<string, Json>>;

/** Gives the same object when no field was altered. */
export function mapFields(object: Fields, change: (value: Json, key: string) => Json): Fields {
  const before = Object.entries(object as Readonly<Record<string, Json | undefined>>).filter(
    (entry): entry is [string, Json] => entry[1] !== undefined,
  );
  const after = before.map(([key, value]) => [key, change(value, key)] as const);
  return after.every(([, value], i) => value === before[i]?.[1]) ? object : Object.fromEntries(after);
}

/** Gives the same list when no element was altered. */
export function mapList(list: readonly Json[], change: (one: Json) => Json): readonly Json[] {
  const after = list.map(change);
  return after.every((one, i) => one === list[i]) ? list : after;
}
