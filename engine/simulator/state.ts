/**
 * Hosts, what they run and what they are given, as one value: `structuredClone` is a snapshot, and two runs from equal values are
 * equal. Times are milliseconds since the epoch in virtual time; nothing moves but through `advance`. A platform adds its own.
 */
export interface SimulatedState {
  nowMs: number;
  /** Where packages and files are downloaded from, without a slash at its end. */
  readonly packageUrl: string;
  /** Where the repositories are below it, as `/stable`; empty: at its top. */
  readonly repositoryPath: string;
  /** The file that names the package repository, by the kind of packages. */
  readonly repositoryFile: { readonly deb: string; readonly rpm: string };
  readonly hosts: Readonly<Record<string, HostState>>;
  /** Versions in the package repository by package, newest first. */
  readonly repository: Record<string, string[]>;
  /** What the download address serves, by its path; bytes as latin1 text. */
  readonly downloads: Record<string, Download>;
  /** Each request for a package, an index or a file, by hosts and the controller, oldest first. */
  readonly asked: { readonly atMs: number; readonly path: string }[];
  timers: readonly (Timer | OtherTimer)[];
  readonly faults: readonly (Fault | OtherFault)[];
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
  /** It has no package manager that is known here, and no systemd. */
  readonly bare?: true;
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
  | { readonly due: 'job'; readonly host: string; readonly id: string }
);

/** One that only the platform knows. */
export interface OtherTimer {
  readonly atMs: number;
  readonly due: string;
}

/** What a test or a rehearsal breaks. `times` counts down; absent is for ever. */
export type Fault = { times?: number } &
  /** The unit does not start. */
  (
    | { readonly fault: 'start-fails'; readonly host: string; readonly unit: string }
    /** The unit starts, its daemons die, and the service manager calls it active. */
    | { readonly fault: 'dead-daemons'; readonly host: string; readonly unit: string }
    /** The connection goes during effect number `at`, before it happened or after it did (a job goes on by itself). */
    | { readonly fault: 'cut'; readonly at: number; readonly when: 'before' | 'after' }
    /**
     * A step's action on a host. `fails`: it is refused; `hangs`: it does not end within its time, and does nothing; `unknown`: it is
     * done, and the connection goes before the answer.
     */
    | {
        readonly fault: 'step';
        readonly step: string;
        readonly host: string;
        readonly how: 'fails' | 'hangs' | 'unknown';
      }
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
    /** The program answers this, and does nothing. */
    | {
        readonly fault: 'program';
        readonly host: string;
        readonly program: string;
        readonly exit: number;
        readonly stdout: string;
      }
  );

/** One that only the platform knows. */
export interface OtherFault {
  times?: number;
  readonly fault: string;
}
