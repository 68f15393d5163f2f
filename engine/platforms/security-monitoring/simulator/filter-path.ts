import { isRecord } from './indexer-answer.js';

/** What `filter_path` leaves of an answer: paths by commas, `*` any key. Lists are passed through element by element. */
export function filterPath(value: unknown, paths: string): unknown {
  const wanted = paths.split(',').map((path) => path.split('.'));
  return kept(value, wanted) ?? {};
}

function kept(value: unknown, wanted: readonly (readonly string[])[]): unknown {
  if (wanted.some((path) => path.length === 0)) return value;
  if (Array.isArray(value)) {
    const parts = value.map((v) => kept(v, wanted)).filter((v) => v !== undefined);
    return parts.length === 0 ? undefined : parts;
  }
  if (!isRecord(value)) return undefined;
  const entries = Object.entries(value).flatMap(([key, v]) => {
    const below = wanted.filter(([first]) => first === '*' || first === key).map(([, ...rest]) => rest);
    const part = below.length === 0 ? undefined : kept(v, below);
    return part === undefined ? [] : [[key, part] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
