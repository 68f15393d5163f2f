import type { NewFile } from '../files.js';
import type { HostState } from '../state.js';

/** What one version of a package brings and does. */
export interface PackageDefinition {
  /** The unit that it brings; empty: none. */
  readonly service: string;
  /** Replaced at each unpacking. */
  readonly files: Readonly<Record<string, NewFile>>;
  /** Kept when the operator changed them: dpkg's conffiles, RPM's `%config(noreplace)`. */
  readonly conffiles: Readonly<Record<string, NewFile>>;
  /** RPM's plain `%config`: a changed one is put aside. To dpkg they are conffiles like the others. */
  readonly replaced?: Readonly<Record<string, NewFile>>;
  /** Its maintainer scripts as they could be read in the package; what they do is `configure`. */
  readonly scripts?: string;
  /** Its own script, after unpacking. */
  configure?(host: HostState, atMs: number): void;
  readonly sizeBytes: number;
}
