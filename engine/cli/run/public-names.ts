import type { RunCopy } from '../../journal/run-folder.js';
import { partsOf } from '../../report/audit-lines.js';
import type { Names } from '../../report/document/mask.js';
import type { Recorded } from '../../terms/event.js';
import type { Inventory } from '../../terms/inventory.js';
import { projectOf } from './rollback-options.js';

/** What `--public` masks of a run: the names of its inventory, and those that only its events have. */
export async function namesOf(copy: RunCopy | undefined, events: readonly Recorded[]): Promise<Names> {
  const inventory = copy === undefined ? undefined : (await projectOf(copy))?.inventory;
  const parts = partsOf(events);
  const by = parts.flatMap(({ by: own, approvedBy = [], waiverApprovals = [] }) => [
    ...(own === undefined ? [] : [own]),
    ...approvedBy,
    ...waiverApprovals.map((approval) => approval.by),
  ]);
  const sudo = parts.flatMap(({ sudoUser }) => sudoUser ?? []);
  const files = events.flatMap(({ event }) => (event.e === 'run-started' ? [event.inventory] : []));
  const known = inventory === undefined ? NONE : inventoryNames(inventory);
  return {
    hosts: [...new Set([...known.hosts, ...eventHosts(events), ...by.map((who) => who.slice(who.indexOf('@') + 1))])],
    addresses: known.addresses,
    users: [
      ...new Set([...by.map((who) => who.split('@')[0] ?? ''), ...sudo, ...known.users, ...files.flatMap(homesIn)]),
    ],
  };
}

const NONE: Names = { hosts: [], addresses: [], users: [] };

function inventoryNames({ hosts, endpoints, files }: Inventory): Names {
  const all = Object.values(endpoints);
  const jumps = hosts.flatMap(({ ssh }) => ssh.jump ?? []);
  return {
    hosts: hosts.map(({ name }) => name),
    addresses: [
      ...hosts.map(({ address, name }) => ({ address, of: name })),
      ...all.flatMap(({ urls }) =>
        urls.map(({ url, host }) => ({ address: hostOf(url), ...(host === undefined ? {} : { of: host }) })),
      ),
      ...jumps.map((jump) => ({ address: jump.replace(/^[^@]*@/, '').replace(/:\d+$/, '') })),
    ],
    users: [
      ...hosts.flatMap(({ ssh }) => [ssh.user ?? '', ssh.becomeUser ?? '']),
      ...all.map(({ user = '' }) => user),
      ...jumps.flatMap((jump) => (jump.includes('@') ? [jump.split('@')[0] ?? ''] : [])),
      ...files.flatMap(({ file }) => homesIn(file)),
    ].filter((user) => user !== ''),
  };
}

const hostOf = (url: string): string => {
  try {
    return new URL(url).hostname.replace(/^\[|\]$/g, '');
  } catch {
    return '';
  }
};

/** `kim` of `/home/kim/inventory.yaml`. */
const homesIn = (file: string): readonly string[] =>
  [...file.matchAll(/\/(?:home|Users)\/([^/]+)\//g)].map(([, user = '']) => user);

/** Every host that an event is about. */
const eventHosts = (events: readonly Recorded[]): readonly string[] => [
  ...new Set(
    events.flatMap(({ event }): readonly string[] => {
      if (event.e === 'from' || event.e === 'host-lost') return [event.host];
      if (event.e === 'play-started') return event.hosts;
      if (event.e === 'settled' || event.e === 'intent') return 'host' in event.task.on ? [event.task.on.host] : [];
      return [];
    }),
  ),
];
