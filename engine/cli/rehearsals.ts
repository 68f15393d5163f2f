import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { groupBy } from '../lib/group-by.js';
import { sha256 } from '../lib/hash.js';
import { userFolder } from '../lib/home.js';
import { MOST_OF, readFileWithin } from '../lib/bounded-file.js';
import { jsonOrUndefined } from '../lib/json.js';
import type { Project } from '../language/project.js';
import { releasesOf } from '../report/plan/plan-versions.js';
import type { Rehearsal } from '../report/plan/plan-summary.js';
import { tally } from '../report/tally.js';
import type { Recorded } from '../terms/event.js';
import { isObject, type Json } from '../terms/json.js';
import { VERSION } from './options/version.js';
import { who } from './run/who.js';

/** A run that was done, as one line of the file says it. */
interface Succeeded extends Rehearsal {
  readonly inventoryDigest: string;
  /** It says nothing about real hosts. */
  readonly ofModel: boolean;
  /** How many hosts had each role; of no role: the empty name. A line of an earlier version has none, and does not count. */
  readonly hosts: Readonly<Record<string, number>>;
  readonly playbook: string;
  readonly platform: string;
  readonly engine: string;
  readonly version: string;
}

type Texts = readonly { readonly file: string; readonly text: string }[];

/** Of all inventories of this user: a run's own folder is beside its inventory. */
const fileOf = (env: NodeJS.ProcessEnv): string =>
  join(userFolder(env, 'XDG_STATE_HOME', '.local/state'), 'succeeded.ndjson');

/**
 * Adds a whole run that was done and changed something; one that began with the target on a part of the hosts only finished what another
 * had begun. A file that cannot be written is done without.
 */
export function keepSucceeded(
  { playbook, inventory }: Project,
  events: readonly Recorded[],
  env: NodeJS.ProcessEnv = process.env,
): void {
  if (!events.some(({ event }) => event.e === 'settled' && event.as === 'done')) return;
  const t = tally(events);
  const from = releasesOf(t);
  if (from.includes(t.started?.target ?? '')) return;
  const line: Succeeded = {
    inventory: inventory.files[0]?.file ?? '',
    atMs: events.at(-1)?.atMs ?? 0,
    by: who().by,
    from,
    version: VERSION,
    inventoryDigest: digestOf(inventory.files),
    ofModel: inventory.model !== undefined,
    hosts: hostsByRole(inventory),
    ...digestsOf(playbook.files),
  };
  try {
    mkdirSync(dirname(fileOf(env)), { recursive: true, mode: 0o700 });
    appendFileSync(fileOf(env), `${JSON.stringify(line)}\n`, { mode: 0o600 });
  } catch {
    // The run itself is recorded; only a later plan does not know of it.
  }
}

/**
 * The newest run of the same playbook, platform and program from the same releases on another inventory, with as many hosts in each role,
 * real hosts as this one or a model as this one; null: none is known. An upgrade from another release goes through other steps, and one of a
 * single node says nothing of a cluster.
 */
export function rehearsalOf(
  { playbook, inventory }: Project,
  planned: readonly Recorded[],
  env: NodeJS.ProcessEnv = process.env,
): Rehearsal | null {
  const own = inventory.files[0]?.file ?? '';
  const same = digestsOf(playbook.files);
  const [from, hosts] = [releasesOf(tally(planned)), hostsByRole(inventory)];
  return (
    succeeded(env).findLast(
      (one) =>
        one.inventory !== own &&
        one.ofModel === (inventory.model !== undefined) &&
        isDeepStrictEqual(one.from, from) &&
        isDeepStrictEqual(one.hosts, hosts) &&
        one.playbook === same.playbook &&
        one.platform === same.platform &&
        one.engine === same.engine,
    ) ?? null
  );
}

function hostsByRole({ hosts }: Project['inventory']): Readonly<Record<string, number>> {
  const roles = hosts.flatMap((host) => (host.roles.length === 0 ? [''] : host.roles));
  return Object.fromEntries(groupBy(roles, (role) => role).map((same) => [same[0], same.length]));
}

/** Lines that are not whole are left out. */
function succeeded(env: NodeJS.ProcessEnv): readonly Succeeded[] {
  try {
    return readFileWithin(fileOf(env), MOST_OF.own)
      .toString('utf8')
      .split('\n')
      .map(jsonOrUndefined)
      .filter((json): json is Json & Succeeded => isSucceeded(json));
  } catch {
    return [];
  }
}

const isSucceeded = (json: Json | undefined): boolean =>
  isObject(json) &&
  ['inventory', 'by', 'playbook', 'platform', 'engine'].every((key) => typeof json[key] === 'string') &&
  typeof json['ofModel'] === 'boolean' &&
  isObject(json['hosts']) &&
  Array.isArray(json['from']) &&
  typeof json['atMs'] === 'number';

/** The platform is the last of a playbook's files. */
const digestsOf = (files: Texts): Pick<Succeeded, 'playbook' | 'platform' | 'engine'> => ({
  playbook: digestOf(files.slice(0, -1)),
  platform: digestOf(files.slice(-1)),
  engine: engineDigest(),
});

const digestOf = (files: Texts): string => sha256(JSON.stringify(files.map(({ text }) => text)));

/** Of the built program: its main file names all others by their digests. */
function engineDigest(): string {
  try {
    return sha256(readFileSync(process.argv[1] ?? '', 'utf8'));
  } catch {
    return VERSION;
  }
}
