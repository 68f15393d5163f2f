import { isRecord } from './indexer-answer.js';

/** Does a document fit a query: bool, match_all, match, match_phrase, term, terms, range (dates with `now-5m`), exists, query_string with `key:value`. */
export function matchesQuery(source: unknown, query: unknown, nowMs: number): boolean {
  if (!isRecord(query)) return true;
  return Object.entries(query).every(([kind, body]) => fits(source, kind, body, nowMs));
}

function fits(source: unknown, kind: string, body: unknown, nowMs: number): boolean {
  if (kind === 'match_all') return true;
  if (!isRecord(body)) return false;
  if (kind === 'bool') return bool(source, body, nowMs);
  if (kind === 'exists') return valuesAt(source, String(body['field'])).length > 0;
  if (kind === 'query_string') return queryString(source, String(body['query']), nowMs);
  const [[field, wanted] = ['', undefined]] = Object.entries(body);
  const values = valuesAt(source, field.replace(/\.keyword$/, ''));
  const value = isRecord(wanted) ? (wanted['value'] ?? wanted['query']) : wanted;
  if (kind === 'term' || kind === 'match_phrase')
    return values.some(
      (v) => String(v) === String(value) || (kind === 'match_phrase' && String(v).includes(String(value))),
    );
  if (kind === 'match')
    return values.some((v) =>
      String(value)
        .split(/\s+/)
        .some((word) => String(v).split(/\s+/).includes(word)),
    );
  if (kind === 'terms') return Array.isArray(wanted) && values.some((v) => wanted.map(String).includes(String(v)));
  if (kind === 'range') return isRecord(wanted) && values.some((v) => inRange(v, wanted, nowMs));
  return false;
}

function bool(source: unknown, body: Record<string, unknown>, nowMs: number): boolean {
  const list = (key: string): unknown[] =>
    Array.isArray(body[key]) ? (body[key] as unknown[]) : body[key] === undefined ? [] : [body[key]];
  const yes = (q: unknown): boolean => matchesQuery(source, q, nowMs);
  const should = list('should');
  return (
    [...list('must'), ...list('filter')].every(yes) &&
    !list('must_not').some(yes) &&
    (should.length === 0 || list('must').length + list('filter').length > 0 || should.some(yes))
  );
}

const inRange = (value: unknown, range: Record<string, unknown>, nowMs: number): boolean => {
  const at = comparable(value, nowMs);
  const holds = (key: string, test: (limit: number) => boolean): boolean =>
    range[key] === undefined || range[key] === null || test(comparable(range[key], nowMs));
  return (
    holds('gte', (l) => at >= l) &&
    holds('gt', (l) => at > l) &&
    holds('lte', (l) => at <= l) &&
    holds('lt', (l) => at < l)
  );
};

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A number, a date as text, or `now` with a distance, as milliseconds or the number itself. */
function comparable(value: unknown, nowMs: number): number {
  if (typeof value === 'number') return value;
  const text = String(value);
  const now = /^now(?:-(\d+)([smhd]))?$/.exec(text);
  if (now !== null) return nowMs - Number(now[1] ?? 0) * (UNITS[now[2] ?? 's'] ?? 0);
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : Date.parse(text.replace(/\+0000$/, 'Z'));
}

const queryString = (source: unknown, query: string, nowMs: number): boolean =>
  query.split(/\s+AND\s+/).every((part) => {
    const [, ranged, gte, lte] = /^([\w.@]+):\[(\S+) TO (\S+)\]$/.exec(part.trim()) ?? [];
    if (ranged !== undefined)
      return valuesAt(source, ranged).some((v) => inRange(v, { gte: bound(gte), lte: bound(lte) }, nowMs));
    const [, field, value] = /^([\w.@]+):"?([^"]*)"?$/.exec(part.trim()) ?? [];
    if (field !== undefined) return valuesAt(source, field).some((v) => String(v).includes(value ?? ''));
    return part.trim() === '*' || JSON.stringify(source).includes(part.trim().replaceAll('"', ''));
  });

const bound = (text: string | undefined): string | null => (text === '*' ? null : (text ?? null));

function valuesAt(source: unknown, field: string): unknown[] {
  let at: unknown = source;
  if (isRecord(source) && field in source) at = source[field];
  else for (const part of field.split('.')) at = isRecord(at) ? at[part] : undefined;
  return at === undefined || at === null ? [] : Array.isArray(at) ? (at as unknown[]) : [at];
}
