/** One mistake in a file: where (1-based), what, and what to do. */
export interface Diagnostic {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Characters to underline, at least 1. */
  readonly length: number;
  readonly message: string;
  /** `did you mean "unit"?` */
  readonly hint?: string;
  /** What is underlined is not shown: a password may stand there. */
  readonly conceal?: true;
  /** The specification's section, as `9.4`. */
  readonly spec?: string;
}

/** What loading gives: the thing, or everything wrong with it. */
export type Loaded<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };
