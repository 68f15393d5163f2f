import { readFileSync } from 'node:fs';
import { requestLog } from '../../lab/build/repository.js';
import type { Ran } from './runbook.js';

/** One request to {package_url}: when, in milliseconds since 1970, from which address, and for what. */
export interface Asked {
  readonly atMs: number;
  readonly from: string;
  readonly path: string;
}

/** All that the lab's download server was asked for so far. */
export const requests = (): readonly Asked[] =>
  readFileSync(requestLog(), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { at: string; from: string; path: string })
    .map(({ at, from, path }) => ({ atMs: Date.parse(at), from, path }));

interface Away {
  readonly from: number;
  until?: number;
}

/** How long each central service was away in an upgrade, by `indexer of indexer-1`: from the intent to stop it until its start was settled. */
export function awayOf(ran: Ran): ReadonlyMap<string, Away> {
  const away = new Map<string, Away>();
  for (const { event, atMs } of ran.events) {
    if (!('task' in event) || !('host' in event.task.on) || !('name' in event)) continue;
    const [, verb, what] = /^(Stop|Start) the (indexer|manager|shipper|dashboard)$/.exec(event.name) ?? [];
    const key = `${what ?? ''} of ${event.task.on.host}`;
    if (verb === 'Stop' && event.e === 'intent') away.set(key, { from: atMs });
    const open = away.get(key);
    if (verb === 'Start' && event.e === 'settled' && open !== undefined) open.until = atMs;
  }
  return away;
}

/** The first stop and the last start. */
export const span = (away: ReadonlyMap<string, Away>): readonly [from: number, until: number] => [
  Math.min(...[...away.values()].map((a) => a.from)),
  Math.max(...[...away.values()].map((a) => a.until ?? Number.POSITIVE_INFINITY)),
];

/** The same in words, for whoever reads the test's output. */
export const tellAway = (away: ReadonlyMap<string, Away>): readonly string[] =>
  [...away].map(([what, a]) => `${what}: away ${Math.round(((a.until ?? 0) - a.from) / 1000)} s`);
