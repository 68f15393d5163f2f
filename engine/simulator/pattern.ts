/** `nginx-*`: a star is any text. Commas separate patterns; `_all` is all. */
export function matchesPattern(name: string, pattern: string): boolean {
  return pattern
    .split(',')
    .some((p) => p === '_all' || new RegExp(`^${p.split('*').map(escape).join('.*')}$`).test(name));
}

const escape = (text: string): string => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
