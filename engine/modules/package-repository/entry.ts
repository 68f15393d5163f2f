/** A package repository as a file names it. */
export interface Entry {
  readonly urls: readonly string[];
  /** Undefined: the file does not say, and has to. */
  readonly isEnabled: boolean | undefined;
  /** The lines of the file with this entry switched on or off; an entry keeps its number of lines, or gets one. */
  readonly set: (lines: readonly string[], enabled: boolean) => readonly string[];
}

export type ReadEntries = (lines: readonly string[]) => readonly Entry[];
