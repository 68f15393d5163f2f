/** Each UTF-16 unit of a text as JSON escapes it: `\u00e4`. */
export const escapeUnits = (text: string): string =>
  text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
