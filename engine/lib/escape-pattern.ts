/** A text as it stands in a regular expression, also in one with the flag `u`. */
export const escapePattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
