import type { NewFile } from '../files.js';
import type { HostState } from '../state.js';

/** What one version of a package brings and does. */
export interface PackageDefinition {
  readonly service: string;
  /** Replaced at each unpacking. */
  readonly files: Readonly<Record<string, NewFile>>;
  /** Kept when the operator changed them: dpkg's conffiles. */
  readonly conffiles: Readonly<Record<string, NewFile>>;
  /** Its own script, after unpacking. */
  configure?(host: HostState, atMs: number): void;
  readonly sizeBytes: number;
}
