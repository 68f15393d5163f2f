import type { Column, PartName } from './check-rows.js';

/** Titles of steps that look for the same thing, by the title that the page has for them. */
export const SAME: Readonly<Record<string, readonly string[]>> = {
  'Indexer is running': ['All indexers are running', 'At least one indexer is running'],
  'Cluster responds': ['Cluster health can be read'],
  'Cluster is green': ['Wait for green cluster health'],
  'Each replica has a node': ['Confirm replicas that cannot be assigned'],
  'Shard allocation is at its default': ['Shard allocation is enabled'],
  'Package is available': ['Indexer package is available', 'Dashboard package is available'],
  'Management API responds': ['Management API can be read', 'Wait for the management API'],
  'No agent is newer than the target': ['Agents can be listed'],
  'No component is newer than the target': ['No component is above the target'],
  'Agents are managed by a 4.14 server': [
    'Agent package is managed by a 4.14 server',
    'Confirm unmanaged agents of the inventory',
    'Confirm unmanaged agents',
  ],
  'Manager configuration test passes': ['Test the manager configuration'],
  'Shipper reaches the indexer': ['Shipper output responds'],
  'The dashboard is ready': ['Dashboard status can be read', 'Status page reports available'],
  'Dashboard key and certificate match': ['Dashboard key and certificate still match'],
  'An agent is active': ['Count all agents'],
};

/** Why a command does not make a check: of these checks, or of all that only these parts of the playbooks make. */
export interface Reason {
  readonly reason: string;
  readonly empty: readonly Column[];
  readonly of: { readonly titles: readonly string[] } | { readonly parts: readonly PartName[] };
}

const BEFORE = ['doctor', 'plan, apply'] as const;
const AFTER = ['verify', 'diagnose'] as const;

/** Of several that fit, the first. */
export const REASONS: readonly Reason[] = [
  {
    reason:
      'The same is refused by another check: "Target is a 4.14 release", or "No component is newer than the target".',
    empty: BEFORE,
    of: { titles: ['Target version is supported', 'The component of the role is installed'] },
  },
  {
    reason: 'A run finishes what an earlier one left: it installs, starts and restarts this itself.',
    empty: ['plan, apply'],
    of: {
      titles: [
        ...['Indexer', 'Manager', 'Shipper', 'Dashboard', 'Agent'].map((name) => `${name} package is fully installed`),
        'Agent is running',
        'Running services restarted since their upgrade',
      ],
    },
  },
  {
    reason:
      'A run enables the repository for its own steps, and then asks whether "Package is available", before any service stops.',
    empty: BEFORE,
    of: { titles: ['Repository is configured', 'Target version is offered', 'Package is available'] },
  },
  {
    reason: 'It reads every file of the package: minutes that are not those of a maintenance window.',
    empty: ['plan, apply'],
    of: { titles: ['Package files are unchanged'] },
  },
  {
    reason:
      'Another way to ask for one permission. A run makes the same request where it needs the answer, and is refused there.',
    empty: ['plan, apply'],
    of: {
      titles: ['Cluster responds', 'Node list can be read', 'Cluster settings can be read', 'Snapshots can be read'],
    },
  },
  {
    reason: 'It is of one run: what its options select, what the operator answers, or what an interrupted run left.',
    empty: ['doctor', ...AFTER],
    of: {
      titles: [
        ...['All central components are included', 'Selected agents exist', 'Agent package is on each manager'],
        ...['Shard allocation is at its default', 'Repositories are disabled', 'Export manually'],
        ...['Previous JVM options are available', 'Warn that no snapshot is taken', 'Packages stay locked'],
      ],
    },
  },
  {
    reason: 'It is true of that moment only: days before it means nothing.',
    empty: ['doctor', ...AFTER],
    of: { titles: ['No snapshot is in progress'] },
  },
  {
    reason: 'It needs the files of the new release, which the preparation downloads.',
    empty: ['doctor', ...AFTER],
    of: {
      titles: [
        ...['The version of the installed shipper module is known', 'Shipper module can be installed'],
        'The installed shipper module is not newer than that of the target',
        ...[
          'Pipeline has no local changes',
          'Module files have no local changes',
          'Index template has no local changes',
        ],
        ...['All servers have the same pipeline', 'All servers have the same files'],
        'Engine of the plug-ins is that of the package',
      ],
    },
  },
  {
    reason: 'It is asked beside one step of a change; without that step the answer means nothing.',
    empty: ['doctor', ...AFTER],
    of: { parts: ['change'] },
  },
  {
    reason: 'Before a change it is checked by what would break it: "Certificate is valid", "Manager is running".',
    empty: ['doctor'],
    of: {
      titles: ['Dashboard key and certificate match', 'All manager daemons are running'],
    },
  },
  {
    reason: 'It holds once the upgrade is done.',
    empty: BEFORE,
    of: { parts: ['change', 'verify'] },
  },
  {
    reason:
      'A number, compared with that before the upgrade: no value is wrong by itself. An apply takes it before and after.',
    empty: [...BEFORE, 'diagnose'],
    of: { parts: ['baseline'] },
  },
  {
    reason:
      'It names the cause of what another check finds: that a service does not run or not start, the cluster is not green, or an agent is too new.',
    empty: [...BEFORE, 'verify'],
    of: { parts: ['diagnose'] },
  },
  {
    reason: 'It is about the upgrade to come, not about what fails now.',
    empty: AFTER,
    of: { parts: ['doctor', 'prepare', 'change'] },
  },
  {
    reason: 'Once the upgrade is done the services run on it, or "… is running" fails.',
    empty: ['verify'],
    of: { parts: ['doctor', 'prepare', 'change', 'diagnose'] },
  },
  {
    reason: 'It is a state to reach, of which a diagnosis asks the parts.',
    empty: ['diagnose'],
    of: { parts: ['doctor', 'prepare', 'change', 'verify'] },
  },
];
