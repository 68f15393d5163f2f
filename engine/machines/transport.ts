import type { Readable, Writable } from 'node:stream';
import type { Reached } from './machine.js';

/** A program that runs on a host, by its three streams. */
export interface Channel {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Settles once; `exit` is null when a signal ended it or the connection was lost. Never rejects. */
  readonly ended: Promise<{ readonly exit: number | null }>;
  /** Ends it as hard as this transport can. */
  close(): void;
}

/** A way to start programs on one host as one user: an ssh connection, or this machine. */
export interface Transport {
  /** The user that programs run as. */
  readonly user: string;
  /** True once it is known to be of no use any more. */
  readonly isLost: boolean;
  /** Runs a command line through the user's login shell, which may be any: keep to what sh, csh and fish have in common. */
  exec(commandLine: string): Promise<Reached<Channel>>;
  /** Copies a file of the controller's to a new file of mode 0600, as fast as this transport can. */
  upload(source: string, path: string): Promise<Reached<true>>;
  close(): Promise<void>;
}
