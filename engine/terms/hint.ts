/** What helps after a failure: what to do, or what to read on its host: a command or a file. */
export type Hint = string | { readonly look: string };

export const hintText = (hint: Hint): string => (typeof hint === 'string' ? hint : `see ${hint.look}`);
