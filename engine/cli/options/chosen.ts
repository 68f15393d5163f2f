/** What a command line chose, or what is wrong with it. */
export type Chosen<T> = T | { readonly mistake: string };
