import type { HttpAnswer } from '../../../../facts/http.js';
import { pointer } from '../../../../lib/json.js';
import { blocked, type Verdict } from '../../../../terms/change.js';
import { isObject, type Json } from '../../../../terms/json.js';
import { readable, short } from '../../../../modules/shared/http-answer.js';
import { textOf } from '../../../../modules/shared/text-of.js';

/** What is known of a model or an agent: the other fields of its record are not shown (§2.7). */
export interface Named {
  readonly id: string;
  readonly name: string;
}

/** A page of a search; `none` where the plug-in, or its index, is not there; `refused` where this user may not ask, or the answer is not complete. */
export type Page =
  | { readonly is: 'page'; readonly found: readonly Named[]; readonly total: number }
  | { readonly is: 'none' }
  | { readonly is: 'refused'; readonly why: string }
  | { readonly is: 'verdict'; readonly verdict: Verdict };

export const PAGE = 1_000;
/** Further than that no index can be paged by `from` (its `max_result_window`). */
export const WINDOW = 10_000;

/**
 * The search for one page. Of a large model each part is a document of its own with a `chunk_number`: those are no models. The body stands in the
 * address (`source`), so that it is a question like any other.
 */
export function pathOf(search: string, from: number): string {
  const body = {
    from,
    size: PAGE,
    track_total_hits: true,
    query: { bool: { must_not: { exists: { field: 'chunk_number' } } } },
    sort: [{ created_time: { order: 'asc', unmapped_type: 'date' } }],
    _source: ['name', 'chunk_number'],
  };
  return `${search}?source_content_type=application/json&source=${encodeURIComponent(JSON.stringify(body))}`;
}

/**
 * What a search says. A plug-in that is not there answers 400 (405 where only the method differs), an index that is not made yet 404.
 * `closing`: whatever else it answers is no page, and nothing is waited for: an index that is red is no reason to hold up the end of a run.
 */
export function pageOf(endpoint: string, call: string, answer: HttpAnswer, closing: boolean): Page {
  if (answer.is === 'answered' && (answer.status === 404 || answer.status === 405 || isUnknown(answer)))
    return { is: 'none' };
  if (
    answer.is === 'answered' &&
    (answer.status === 401 || answer.status === 403 || (closing && answer.status !== 200))
  )
    return { is: 'refused', why: `${call} answers ${answer.status}: ${short(answer.text)}` };
  const found = readable(answer, { endpoint, call });
  if (found.is !== 'answered') return { is: 'verdict', verdict: found };
  const list = pointer(found.json, '/hits/hits');
  if (found.status !== 200 || !Array.isArray(list))
    return { is: 'verdict', verdict: blocked(`${call} answers ${found.status}: ${short(found.text)}`) };
  const failed = pointer(found.json, '/_shards/failed');
  if (typeof failed === 'number' && failed > 0)
    return { is: 'refused', why: `${failed} of the shards that ${call} asks do not answer` };
  const named = (list as readonly Json[]).flatMap(namedOf);
  return { is: 'page', found: named, total: totalOf(found.json, named.length) };
}

const isUnknown = ({ status, text }: Extract<HttpAnswer, { is: 'answered' }>): boolean =>
  status === 400 && text.includes('no handler found');

function namedOf(hit: Json): readonly Named[] {
  if (!isObject(hit)) return [];
  const source = isObject(hit['_source'] ?? null) ? (hit['_source'] as { readonly [key: string]: Json }) : {};
  const id = textOf(hit['_id']);
  return id === '' || source['chunk_number'] !== undefined ? [] : [{ id, name: textOf(source['name']) }];
}

/** How many it found in all: an object now, a number before. */
function totalOf(answer: Json | undefined, otherwise: number): number {
  const total = pointer(answer, '/hits/total/value') ?? pointer(answer, '/hits/total');
  return typeof total === 'number' ? total : otherwise;
}
