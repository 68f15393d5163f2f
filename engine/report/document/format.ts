/** How a document can be written. */
export const FORMATS = ['md', 'html', 'json'] as const;
export type Format = (typeof FORMATS)[number];
