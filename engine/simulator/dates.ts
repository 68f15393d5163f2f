const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A time as date(1) writes it: `%Y`, `%b` and `%d`, in UTC. */
export const dateText = (pattern: string, at: Date): string =>
  pattern
    .replace('%Y', String(at.getUTCFullYear()))
    .replace('%b', MONTHS[at.getUTCMonth()] ?? '')
    .replace('%d', String(at.getUTCDate()).padStart(2, '0'));
