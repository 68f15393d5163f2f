import type { HttpAnswer } from '../../../../facts/http.js';
import type { Verdict } from '../../../../terms/change.js';
import { isObject } from '../../../../terms/json.js';
import { readable, short } from '../../../../modules/shared/http-answer.js';
import { SIGNED_IN } from './args.js';
import type { SavedObjectsArgs } from './schema.js';

export const TENANTS = '/_plugins/_security/api/tenants';

/** The tenants whose objects are exported, and warnings about them. */
export interface Tenants {
  readonly names: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * The tenants that are named, else all that the security plug-in lists; where it lists none, the one of whoever is signed in (§9.3.5). A user's
 * private tenant is in no list, and only that user can export it.
 */
export function tenantsOf({ tenants = [], listed_by: by }: SavedObjectsArgs, answer?: HttpAnswer): Tenants | Verdict {
  if (tenants.length > 0) return { names: tenants, warnings: [] };
  if (by === undefined || answer === undefined) return { names: [SIGNED_IN], warnings: [] };
  const call = `GET ${TENANTS}`;
  const isRefused = answer.is === 'answered' && answer.status >= 400 && answer.status < 500 && answer.status !== 429;
  const found = isRefused ? answer : readable(answer, { endpoint: by, call });
  if (found.is !== 'answered') return found;
  if (found.status === 200 && isObject(found.json) && Object.keys(found.json).length > 0)
    return { names: Object.keys(found.json).sort(), warnings: [] };
  return {
    names: [SIGNED_IN],
    warnings: [
      `the tenants of saved objects are not known (${by} answers ${found.status} to ${call}: ${short(found.text)}): only those of the one that the dashboard's user is signed in to are exported; name them with the variable saved_objects_tenants`,
    ],
  };
}
