const HEADERS = ['retry-after', 'ratelimit-reset', 'x-ratelimit-reset'];

/**
 * How long a server asks to wait, in milliseconds: seconds, an HTTP date, or when its window begins anew. A moment is counted from
 * `nowMs`, without it from the answer's own date. Undefined where it does not say, or the moment has come.
 */
export function retryAfterMs(headers: Readonly<Record<string, string>>, nowMs?: number): number | undefined {
  const named = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const header = HEADERS.map((name) => named.get(name)).find((value) => value !== undefined && value !== '');
  if (header === undefined) return undefined;
  const seconds = Number(header);
  // A reset may be told as a moment, in seconds since the epoch.
  const moment = Number.isNaN(seconds) ? Date.parse(header) : seconds > 1e9 ? seconds * 1000 : undefined;
  const waitMs = moment === undefined ? seconds * 1000 : moment - (nowMs ?? Date.parse(named.get('date') ?? ''));
  return waitMs > 0 ? waitMs : undefined;
}
