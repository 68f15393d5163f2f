import type { DoctorItem } from '../../report/checks/doctor-report.js';
import { showBytes } from '../../lib/bytes.js';
import { compareVersions } from '../../lib/version.js';
import type { StoreHealth } from '../../store/nats/nats-store.js';
import { StoreUnavailable } from '../../store/run-store.js';
import type { Flags } from '../options/flags.js';
import { runsFor } from '../run/unfinished.js';
import { storeHint, storeText } from '../team/say-store.js';
import { teamSettings } from '../team/settings.js';
import type { Part } from './access.js';
import { approvedPlans } from './approved-plans.js';

const NOTHING: Part = { problems: [], warnings: [], groups: [] };
const REACHED = ['servers', 'TLS', 'login', 'streams', 'permissions'];

/** The store of the team, where one is configured: nothing of it is loaded otherwise. `away`: why it cannot be used, where that is known. */
export async function storePart(flags: Flags, away: StoreUnavailable | undefined): Promise<Part> {
  const settings = await teamSettings(runsFor(flags).inventory, process.env);
  if (settings === undefined) return NOTHING;
  if ('mistake' in settings) return problem('configuration', settings.mistake, 'docs/teams.md says what belongs there');
  if (away !== undefined) return unavailable(away);
  const { inspectTeam, openTeam } = await import('../team/team.js');
  try {
    const part = partOf(await inspectTeam(settings), settings.servers.length);
    const team = await openTeam(settings);
    const approved = await approvedPlans(team.store, Date.now()).finally(() => team.close());
    return { ...part, warnings: [...part.warnings, ...approved] };
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    return unavailable(error);
  }
}

const unavailable = (error: StoreUnavailable): Part => problem(REACHED.join(', '), storeText(error), storeHint(error));

const problem = (checks: string, text: string, fix?: string): Part => ({
  ...NOTHING,
  problems: [itemOf(checks, text, fix)],
});

const itemOf = (checks: string, text: string, fix?: string): DoctorItem => ({
  check: `Store: ${checks}`,
  hosts: [],
  text,
  evidence: [],
  ...(fix === undefined ? {} : { fix }),
});

const OLDEST_SERVER = '2.11';
/** Of how many servers any one can be lost. */
const COPIES = 3;
const FULL_SHARE = 0.8;

/** What is to be said of a store that can be used. */
export function partOf({ serverVersion, streams }: StoreHealth, servers: number): Part {
  const isOld = (compareVersions(serverVersion, OLDEST_SERVER) ?? 0) < 0;
  const version = isOld
    ? [
        itemOf(
          'version',
          `nats-server ${serverVersion} is older than ${OLDEST_SERVER}`,
          'install a newer one: docs/teams.md',
        ),
      ]
    : [];
  const copies = streams.flatMap(({ name, replicas, behind }) => [
    ...(servers >= COPIES && replicas < COPIES
      ? [
          itemOf(
            'copies',
            `${name} has fewer than ${COPIES} copies: ${replicas}`,
            `nats stream edit ${name} --replicas ${COPIES}`,
          ),
        ]
      : []),
    ...(behind.length > 0
      ? [itemOf('copies', `${name} is not up to date on ${behind.join(', ')}`, 'check that server and its disk')]
      : []),
  ]);
  const space = streams.flatMap(({ name, bytes, maxBytes }) =>
    maxBytes !== undefined && bytes > FULL_SHARE * maxBytes
      ? [
          itemOf(
            'space',
            `${name} is ${Math.round((100 * bytes) / maxBytes)} % full: ${showBytes(bytes)} of ${showBytes(maxBytes)}`,
            `nats stream edit ${name} --max-bytes …`,
          ),
        ]
      : [],
  );
  const checks = Object.entries({ version, copies, space });
  const passed = [...REACHED, ...checks.filter(([, items]) => items.length === 0).map(([name]) => name)];
  return { problems: [], warnings: [...version, ...copies, ...space], groups: [{ name: 'Store', passed, hosts: [] }] };
}
