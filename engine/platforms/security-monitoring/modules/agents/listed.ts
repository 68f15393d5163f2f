import type { AgentRecord, AgentsAnswer } from '../../facts/agents.js';
import { compareByPrefix } from '../../../../lib/version.js';
import { ok, type Verdict } from '../../../../terms/change.js';
import { versionOf } from './args.js';
import { count, SHOWN } from './sorted.js';

/** What `register` takes of a list, less the agents themselves. Where no version is given, nothing is compared with it. */
interface Counted {
  readonly active: number;
  readonly disconnected: number;
  readonly pending: number;
  readonly never_connected: number;
  readonly at_target?: number;
  readonly newer?: number;
  readonly below_target?: number;
  /** Names of those below, twenty at most. */
  readonly below?: readonly string[];
}

/**
 * The agents counted by status and, against a version, by what they say of theirs (§9.8.1). An agent below it, above it or not active is no
 * failure of the upgrade, and is always reported.
 */
export function decideListed(
  known: readonly AgentRecord[],
  { pages }: Extract<AgentsAnswer, { is: 'answered' }>,
  version: string | undefined,
): Verdict {
  const order = (a: AgentRecord): number | undefined =>
    version === undefined || a.version === null ? undefined : compareByPrefix(a.version, version);
  const below = known.filter((a) => (order(a) ?? 0) < 0);
  const newer = known.filter((a) => (order(a) ?? 0) > 0);
  const away = known.filter((a) => a.status !== 'active' && !isNew(a));
  const never = known.filter(isNew);
  const withStatus = (status: string): number => known.filter((a) => a.status === status).length;
  const counted: Counted = {
    active: withStatus('active'),
    disconnected: withStatus('disconnected'),
    pending: withStatus('pending'),
    never_connected: never.length,
    ...(version === undefined
      ? {}
      : {
          at_target: known.filter((a) => order(a) === 0).length,
          newer: newer.length,
          below_target: below.length,
          below: below.slice(0, SHOWN).map(({ name }) => name),
        }),
  };
  const target = version ?? '';
  return ok(
    `${count(known)} on ${pages} page${pages === 1 ? '' : 's'}`,
    { total: known.length, count: known.length, pages, ...counted, agents: known.map((a) => ({ ...a })) },
    [
      ...tell(below, known, `below ${target}`, versionOf),
      ...tell(newer, known, `newer than ${target}, which the servers do not support`, versionOf),
      ...tell(away, known, 'not active', ({ status }) => status),
      ...tell(never, known, 'enrolled, and never connected', () => undefined),
    ],
  );
}

const isNew = (a: AgentRecord): boolean => a.status === 'never_connected' || a.version === null;

/** `3 of 240 agents are below 4.14.7: web-001 (4.12.0), …` */
function tell(
  some: readonly AgentRecord[],
  all: readonly AgentRecord[],
  what: string,
  why: (a: AgentRecord) => string | undefined,
): readonly string[] {
  if (some.length === 0) return [];
  const shown = some.slice(0, SHOWN).map((a) => (why(a) === undefined ? a.name : `${a.name} (${why(a) ?? ''})`));
  const more = some.length > SHOWN ? ` and ${some.length - SHOWN} more` : '';
  return [`${some.length} of ${count(all)} ${some.length === 1 ? 'is' : 'are'} ${what}: ${shown.join(', ')}${more}`];
}
