import type * as general from '../../../simulator/state.js';
import type { SimulatedState } from '../../../simulator/state.js';
import type { PlatformNames } from './names.js';
import type { ManagementState } from './management-state.js';

export type { Download, FileEntry, PackageEntry, ServiceEntry } from '../../../simulator/state.js';

export interface HostState extends general.HostState {
  /** Of the management API, when it is an agent. */
  readonly agentId: string | null;
  /** Does the connector of its manager reach the indexer? Absent: there is none. */
  connected?: boolean;
}

export type Timer =
  | general.Timer
  | { readonly atMs: number; readonly due: 'node'; readonly host: string; readonly starts: number }
  | { readonly atMs: number; readonly due: 'allocate' }
  | { readonly atMs: number; readonly due: 'heartbeat' };

export type Fault =
  | general.Fault
  | ({ times?: number } &
      /** The node answers as a cluster of its own. */
      (
        | { readonly fault: 'own-cluster'; readonly host: string }
        /** The nodes may not write to a snapshot repository's place. */
        | { readonly fault: 'repository-denied' }
        /** The managers do not reach the vendor's repository of agent packages (air gap). */
        | { readonly fault: 'agent-packages-unreachable' }
        /** Some shards of the next snapshot fail. */
        | { readonly fault: 'snapshot-partial' }
        /** A flush fails on some shards. */
        | { readonly fault: 'flush-fails' }
      ));

/** The whole platform as one value. */
export interface PlatformState extends SimulatedState {
  readonly names: PlatformNames;
  readonly hosts: Record<string, HostState>;
  readonly cluster: ClusterState;
  management: ManagementState;
  /** Those of the index that the dashboard's alias points to. */
  readonly savedObjects: SavedObject[];
  /** Types that can be exported and imported, as the dashboard reports them; null: it does not. */
  savedTypes: readonly string[] | null;
  /** Those of indices that it points to no more. */
  readonly savedBefore: Record<string, SavedObject[]>;
  /** From this release on the dashboard has a newer form of saved objects; null: all releases have one. */
  readonly newFormFrom: string | null;
  readonly ports: { readonly indexer: number; readonly management: number; readonly dashboard: number };
  timers: Timer[];
  readonly faults: Fault[];
}

export interface ClusterState {
  readonly name: string;
  readonly uuid: string;
  readonly user: string;
  /** Null takes any. */
  password: string | null;
  /** By host name, in the order of the inventory. */
  readonly nodes: Record<string, NodeState>;
  /** A host's name; null while no node is there. */
  elected: string | null;
  readonly persistent: Record<string, string>;
  readonly transient: Record<string, string>;
  readonly indices: Record<string, IndexState>;
  /** Aliases of one index each: the dashboard's, and those of its tenants. */
  readonly aliases: Record<string, string>;
  /** The form that the saved objects of an index have; absent: the first. */
  readonly forms: Record<string, number>;
  readonly templates: Record<string, string>;
  readonly pipelines: Record<string, string>;
  securityInitialised: boolean;
  /** The security configuration in force, by file name. */
  readonly security: Record<string, string>;
  excludedVoters: string[];
  /** Snapshot repositories by name (§9.3.1). */
  readonly repositories: Record<string, RepositoryState>;
  /** What the security plug-in lists of tenants: their names; null where this user may not ask. */
  tenants: string[] | null;
  /** Of the user that asks. */
  roles: string[];
  /** Policies of index state management, by name. */
  readonly policies: string[];
  /** What the ML Commons plug-in has (§9.3.7); null where there is no such plug-in. */
  mlCommons: { models: MlDocument[]; agents: MlDocument[] } | null;
}

/** `chunk` is set on the parts of a large model, which the plug-in keeps as documents of their own. */
export interface MlDocument {
  readonly id: string;
  readonly name: string;
  readonly chunk?: number;
}

export interface RepositoryState {
  readonly type: string;
  readonly location: string;
  readonly snapshots: SnapshotState[];
}

export interface SnapshotState {
  readonly name: string;
  readonly indices: readonly string[];
  readonly shards: number;
  readonly failedShards: number;
  readonly startMs: number;
  /** Until then it is in progress. */
  readonly endMs: number;
}

export interface NodeState {
  /** `node.name`: the host's, unless its inventory says otherwise. */
  readonly name: string;
  /** `cluster_manager` may be elected, `data` holds shards. */
  readonly roles: readonly string[];
  /** In the node list. */
  joined: boolean;
  /** Of the engine that runs or ran last: `4.14.7` carries its own number. */
  version: string;
  /** The newest engine that ever started on its data: an older one refuses. */
  dataVersion: string | null;
}

export interface IndexState {
  readonly uuid: string;
  /** The oldest node's engine when it was created. */
  readonly createdVersion: string;
  readonly replicas: number;
  readonly shards: ShardState[];
  readonly documents: Record<string, string>;
}

export interface ShardState {
  /** The first is the primary; `host` null is unassigned. `since` is when it began to be so. */
  readonly copies: CopyState[];
  /** Hosts whose copy on disk misses no acknowledged write. */
  inSync: string[];
}

export interface CopyState {
  host: string | null;
  primary: boolean;
  state: 'STARTED' | 'INITIALIZING' | 'UNASSIGNED';
  sinceMs: number;
  /** Why it is unassigned, as the indexer calls it; absent: its node left. */
  reason?: string;
}

export interface SavedObject {
  /** Whose it is; absent: everybody's (the global one). */
  readonly tenant?: string;
  readonly type: string;
  readonly id: string;
  readonly attributes: string;
}
