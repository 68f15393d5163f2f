/** What helps after a failure: what to do, or what to read on its host: a command or a file. */
export type Hint = string | { readonly look: string };

/** A warning: one sentence; beside it what the operator may do about it before the run, where there is something to decide. */
export type Warning = string | { readonly text: string; readonly hint: Hint };

export const hintText = (hint: Hint): string => (typeof hint === 'string' ? hint : `see ${hint.look}`);

/** A warning in one text. */
export const warningText = (warning: Warning): string =>
  typeof warning === 'string' ? warning : `${warning.text} → ${hintText(warning.hint)}`;
