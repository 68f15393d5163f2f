/** A package as its manager has it. `status` is dpkg's abbreviation (`ii`, `hi`, `iU`, `rc`) or `ii` for an installed rpm. */
export interface PackageState {
  readonly manager: 'apt' | 'dnf';
  /** Full version with its revision (`4.12.0-1`); null when nothing is installed. */
  readonly installed: string | null;
  readonly status: string;
  readonly held: boolean;
  /** When the package's file list last changed, milliseconds since the epoch; null when not installed. */
  readonly changedAtMs: number | null;
}
/** Versions that the enabled repositories offer by the host's present index, newest first. Reading updates nothing. */
export type PackageVersions = readonly string[];

export const packageState = { name: 'package', key: (name: string) => name, __v: undefined as unknown as PackageState };
export const packageVersions = { name: 'package-versions', key: (name: string) => name, __v: undefined as unknown as PackageVersions };
