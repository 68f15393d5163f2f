import { diffArrays } from 'diff';
import type { Recording } from './record.js';

/** A kind of difference, without hosts, numbers and digests, and where it was seen. */
export type Classes = ReadonlyMap<string, readonly string[]>;

export interface Compared {
  readonly compared: number;
  /** Recordings that the other side has none for: a stop that it does not come by. */
  readonly alone: number;
  readonly classes: Classes;
}

/** Compares two sides, run by run. */
export function compare(before: readonly Recording[], after: readonly Recording[]): Compared {
  const old = new Map(before.map((one) => [keyOf(one), one]));
  const classes = new Map<string, string[]>();
  let compared = 0;
  for (const one of after) {
    const other = old.get(keyOf(one));
    if (other === undefined) continue;
    compared += 1;
    const seen = `${one.situation}${one.after === '' ? '' : `, after "${one.after}"`}, ${one.way}`;
    for (const name of new Set(differencesOf(other, one))) classes.set(name, [...(classes.get(name) ?? []), seen]);
  }
  return { compared, alone: before.length + after.length - 2 * compared, classes };
}

const keyOf = ({ situation, stop, way, after }: Recording): string =>
  `${situation} ${way === 'by itself' ? after : stop} ${way}`;

function differencesOf(before: Recording, after: Recording): readonly string[] {
  const places = [...new Set([...Object.keys(before.effects), ...Object.keys(after.effects)])];
  return [
    ...(before.end === after.end ? [] : [`ends as ${after.end}, was ${before.end}`]),
    ...(before.left === after.left ? [] : ['leaves another platform']),
    ...places.flatMap((place) =>
      diffArrays(before.effects[place] ?? [], after.effects[place] ?? []).flatMap(({ added, removed, value }) =>
        added || removed
          ? value.map((line) => `${added ? '+' : '-'} ${place.replace(/-\d+$/, '')}: ${classOf(line)}`)
          : [],
      ),
    ),
  ];
}

const classOf = (line: string): string =>
  line
    .replace(/\b[0-9a-f]{12}\b/g, '*')
    .replace(/ start=\d+/, '')
    .replace(/(indexer|server|dashboard|linux)-\d/g, '$1');
