import type { PlatformNames } from './names.js';
import type { ManagementState } from './management-state.js';

/**
 * The whole platform as one value: `structuredClone` is a snapshot, and two runs from equal values are equal. Times are
 * milliseconds since the epoch in virtual time; nothing moves but through `advance`.
 */
export interface PlatformState {
  nowMs: number;
  readonly names: PlatformNames;
  /** Where packages and files are downloaded from, without a slash at its end. */
  readonly packageUrl: string;
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
  /** Versions in the package repository by package, newest first. */
  readonly repository: Record<string, string[]>;
  /** What the download address serves, by its path; bytes as latin1 text. */
  readonly downloads: Record<string, Download>;
  /** Each request for a package, an index or a file, by hosts and the controller, oldest first. */
  readonly asked: { readonly atMs: number; readonly path: string }[];
  readonly ports: { readonly indexer: number; readonly management: number; readonly dashboard: number };
  timers: Timer[];
  readonly faults: Fault[];
  /** Effects performed so far: the number by which a fault finds its own. */
  effects: number;
  /** Numbers handed out: boot ids, document ids, process ids. */
  serial: number;
}

export interface HostState {
  readonly name: string;
  readonly address: string;
  readonly roles: readonly string[];
  bootId: string;
  /** Of the management API, when it is an agent. */
  readonly agentId: string | null;
  readonly files: Record<string, FileEntry>;
  readonly packages: Record<string, PackageEntry>;
  readonly services: Record<string, ServiceEntry>;
  readonly jobs: Record<string, JobEntry>;
  /** By which kind of packages its system is made. */
  readonly family: 'deb' | 'rpm';
  /** What `apt-get update` or `dnf makecache` last learnt, by package; used only while the repository is enabled. */
  packageIndex: Record<string, string[]>;
  /** Another program holds the package lock until then. */
  lockedUntilMs: number;
  readonly disk: { totalBytes: number; usedBytes: number };
  /** File systems of their own, by where they are mounted. */
  mounted?: Readonly<Record<string, { readonly totalBytes: number; readonly usedBytes: number }>>;
  /** How far its clock is ahead of the others'; absent: not at all. */
  clockSkewMs?: number;
  /** Absent: yes. An RPM host may lack the plug-in by which packages are kept back. */
  canLock?: boolean;
  /** dnf is configured to check signatures, and this is the result of `rpm --checksig`; absent: it is not. */
  signatures?: 'good' | 'no key' | 'none';
}

export interface FileEntry {
  type: 'file' | 'directory' | 'link';
  /** UTF-8 text, or bytes as latin1; empty for a directory; a link's target. */
  text: string;
  encoding: 'utf8' | 'latin1';
  owner: string;
  group: string;
  /** `0640` */
  mode: string;
  changedAtMs: number;
  /** Of a file that may have several names, or be moved: who knows it by this knows it under each. */
  inode?: number;
}

export interface PackageEntry {
  version: string;
  /** dpkg's two letters without the hold: `i` wanted. `ii` installed, `iU` unpacked, `rc` removed. */
  status: 'ii' | 'iU' | 'rc';
  held: boolean;
  changedAtMs: number;
  /** Its files besides those: a later version that lacks one takes it away. */
  readonly files: readonly string[];
  /** What the package last brought for each configuration file, so that a later one sees whether it was changed. */
  readonly conffiles: Record<string, string>;
  /** Set between unpacking and configuring: did the service run? */
  wasActive: boolean;
}

export interface ServiceEntry {
  active: 'active' | 'inactive' | 'failed' | 'activating';
  enabled: boolean;
  startedAtMs: number | null;
  needsReload: boolean;
  /** Counts starts: a timer of an earlier one means nothing any more. */
  starts: number;
  /** Processes in its control group while it runs. */
  processes: number;
  /** When its own interface answers, once active. */
  readyAtMs: number;
  /** The version whose programs run, which an upgrade of the package does not change. */
  runs: string;
  /** What its journal says, newest last, a few lines. */
  journal: string[];
}

export type JobEntry = {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly sinceMs: number;
} &
  /** `result` once its effects are there and only its end is waited for. */
  (
    | {
        readonly is: 'running';
        readonly result?: { readonly exit: number; readonly stdout: string; readonly stderr: string };
      }
    | { readonly is: 'ended'; readonly exit: number; readonly stdout: string; readonly stderr: string }
    | { readonly is: 'lost'; readonly why: 'rebooted' | 'killed' }
  );

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

export interface Download {
  readonly status: number;
  readonly contentType: string;
  readonly latin1: string;
}

export type Timer = { readonly atMs: number } & (
  | {
      readonly due: 'service';
      readonly host: string;
      readonly unit: string;
      readonly starts: number;
      readonly becomes: 'active' | 'failed';
    }
  | { readonly due: 'node'; readonly host: string; readonly starts: number }
  | { readonly due: 'allocate' }
  | { readonly due: 'job'; readonly host: string; readonly id: string }
  | { readonly due: 'heartbeat' }
);

/** What a test or a rehearsal breaks. `times` counts down; absent is for ever. */
export type Fault = { times?: number } &
  /** The unit does not start. */
  (
    | { readonly fault: 'start-fails'; readonly host: string; readonly unit: string }
    /** The unit starts, its daemons die, and the service manager calls it active. */
    | { readonly fault: 'dead-daemons'; readonly host: string; readonly unit: string }
    /** The connection goes during effect number `at`, before it happened or after it did (a job goes on by itself). */
    | { readonly fault: 'cut'; readonly at: number; readonly when: 'before' | 'after' }
    | { readonly fault: 'unreachable'; readonly host: string }
    | { readonly fault: 'no-sudo'; readonly host: string }
    /** The file system has no byte left. */
    | { readonly fault: 'disk-full'; readonly host: string }
    /** The file's address answers with this. */
    | {
        readonly fault: 'download';
        readonly path: string;
        readonly status: number;
        readonly body: string;
        /** Absent: a web page. */
        readonly contentType?: string;
      }
    /** The package's configuration fails after unpacking: `iU`. */
    | { readonly fault: 'half-configured'; readonly host: string; readonly package: string }
    /** The host's servers show a certificate that is not trusted. */
    | { readonly fault: 'untrusted'; readonly host: string }
    /** The node answers as a cluster of its own. */
    | { readonly fault: 'own-cluster'; readonly host: string }
    /** The nodes may not write to a snapshot repository's place. */
    | { readonly fault: 'repository-denied' }
    /** Some shards of the next snapshot fail. */
    | { readonly fault: 'snapshot-partial' }
    /** A flush fails on some shards. */
    | { readonly fault: 'flush-fails' }
    /** The program answers this, and does nothing. */
    | {
        readonly fault: 'program';
        readonly host: string;
        readonly program: string;
        readonly exit: number;
        readonly stdout: string;
      }
  );
