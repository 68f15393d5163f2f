import type { AgentRecord } from '../../facts/agents.js';
import type { ItemState } from '../../../../terms/fact.js';
import { portion } from './args.js';
import type { Args } from './schema.js';

/** A wave: agents that are asked together, and judged together before the next begins. The canary is one. */
export interface Wave {
  readonly batch: string;
  readonly agents: readonly AgentRecord[];
}

/** What there is of an upgrade: what was recorded of agents, and those that are still to be asked. */
interface Position {
  readonly items: ReadonlyMap<string, ItemState>;
  readonly due: readonly AgentRecord[];
}

/**
 * The agents of the next request: what is left of the waves so far (not requested yet, or to be requested again), else the next wave; undefined
 * when none is left.
 */
export function nextWave(args: Args, { items, due }: Position): Wave | undefined {
  const now = latestBatch(items);
  const rest = due.filter(({ id }) => items.has(id));
  if (rest.length > 0) return { batch: String(now), agents: rest };
  if (due.length === 0) return undefined;
  return { batch: String(now + 1), agents: due.slice(0, sizeOf(args, now + 1, items.size + due.length)) };
}

/** How many waves these would be, for a plan. */
export function wavesOf(args: Args, due: number): readonly number[] {
  const sizes: number[] = [];
  for (let left = due; left > 0; left -= sizes.at(-1) ?? left)
    sizes.push(Math.min(left, sizeOf(args, sizes.length + 1, due)));
  return sizes;
}

/** The share of the last wave that failed, when it is as much as the step allows, in words. */
export function stoppedBy(
  { stop_at: stopAt }: Args,
  items: ReadonlyMap<string, ItemState>,
  isFailed: (id: string) => boolean,
): string | undefined {
  if (stopAt === undefined) return undefined;
  const batch = String(latestBatch(items));
  const members = [...items].filter(([, item]) => item.batch === batch).map(([id]) => id);
  const failed = members.filter(isFailed).length;
  if (failed === 0 || failed < portion(stopAt, members.length)) return undefined;
  return `${failed} of ${members.length} agents of wave ${batch} failed, and it stops at ${stopAt}`;
}

function sizeOf({ canary = 0, wave }: Args, nth: number, all: number): number {
  if (Number(canary) > 0 && nth === 1) return Number(canary);
  return isInWaves(wave) ? portion(wave, all) : all;
}

function latestBatch(items: ReadonlyMap<string, ItemState>): number {
  let latest = 0;
  for (const { batch } of items.values()) latest = Math.max(latest, Number(batch ?? 0));
  return latest;
}

/** Is a size of waves given? 0 is none. */
export const isInWaves = (wave: Args['wave']): wave is number | string => wave !== undefined && String(wave) !== '0';
