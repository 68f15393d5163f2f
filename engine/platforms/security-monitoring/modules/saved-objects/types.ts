import type { HttpAnswer } from '../../../../facts/http.js';
import { http } from '../../../../facts/http.js';
import type { Verdict } from '../../../../terms/change.js';
import { need, type Need } from '../../../../terms/fact.js';
import { isObject, type Json } from '../../../../terms/json.js';
import type { At } from '../../../../terms/module.js';
import { readable, short } from '../../../../modules/shared/http-answer.js';
import { textOf } from '../../../../modules/shared/text-of.js';
import type { SavedObjectsArgs } from './schema.js';

/** What the dashboard's own page of saved objects asks for: the types that can be exported and imported. */
const ALLOWED = '/api/opensearch-dashboards/management/saved_objects/_allowed_types';

export const allowedNeed = ({ endpoint }: SavedObjectsArgs, { task }: At): Need<HttpAnswer> =>
  need({ endpoint, ...('host' in task.on ? { node: task.on.host } : {}) }, http, { path: ALLOWED });

interface Types {
  readonly types: readonly string[];
  readonly warnings: readonly string[];
}

/** The types that are named, else all that the dashboard reports; where it reports none, those of `fallback_types`, with a warning. */
export function typesOf(
  { endpoint, types = [], fallback_types: fallback = [] }: SavedObjectsArgs,
  answer?: HttpAnswer,
): Types | Verdict {
  if (types.length > 0 || answer === undefined) return { types, warnings: [] };
  const call = `GET ${ALLOWED}`;
  const found = readable(answer, { endpoint, call });
  if (found.is !== 'answered') return found;
  const reported = reportedTypes(found);
  if (reported !== undefined) return { types: reported, warnings: [] };
  return {
    types: fallback,
    warnings: [
      `the dashboard does not report which types of saved objects it exports (${call} answers ${found.status}: ${short(found.text)}): only ${fallback.join(', ')} are exported; name the types with the variable saved_objects_types`,
    ],
  };
}

/** Undefined: it does not report them. Newer interfaces give each type as an object with its name. */
export function reportedTypes(answer: HttpAnswer): readonly string[] | undefined {
  if (answer.is !== 'answered' || answer.status !== 200 || !isObject(answer.json ?? null)) return undefined;
  const { types } = answer.json as { readonly types?: Json };
  if (!Array.isArray(types)) return undefined;
  const names = (types as readonly Json[]).map((type) => textOf(isObject(type) ? type['name'] : type));
  return names.length > 0 && names.every((name) => name !== '') ? [...new Set(names)].sort() : undefined;
}
