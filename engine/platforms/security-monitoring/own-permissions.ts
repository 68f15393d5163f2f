import { pointer } from '../../lib/json.js';
import { isObject, type Json } from '../../terms/json.js';
import type { Grant, OwnPermissions } from '../../terms/own-permissions.js';

/** The management API lists the policies of its user; the indexer only roles, of which one has every permission. */
export const ownPermissions: readonly OwnPermissions[] = [
  { endpoint: 'api', path: '/security/users/me/policies', grant: byPolicies },
  { endpoint: 'indexer', path: '/_plugins/_security/authinfo', grant: byRoles },
];

/** `{"data": {"rbac_mode": "white", "agent:upgrade": {"agent:id:*": "allow"}}}`: in the mode `black` what is not listed is allowed. */
function byPolicies(answer: Json, permission: string): Grant {
  const data = pointer(answer, '/data');
  if (!isObject(data) || !isObject(answer)) return 'unknown';
  const policy = Object.hasOwn(data, permission) ? data[permission] : undefined;
  if (!isObject(policy))
    return data['rbac_mode'] === 'white' ? 'denied' : data['rbac_mode'] === 'black' ? 'granted' : 'unknown';
  const effects = Object.entries(policy);
  if (effects.every(([, effect]) => effect === 'deny')) return 'denied';
  // Of some resources only: which of them the upgrade meets is not known here.
  return effects.every(([resource, effect]) => effect === 'allow' && /[:*]\*$/.test(resource)) ? 'granted' : 'unknown';
}

const EVERYTHING = 'all_access';

function byRoles(answer: Json, permission: string): Grant {
  const roles = pointer(answer, '/roles');
  const hasAll = Array.isArray(roles) && (roles as readonly Json[]).includes(EVERYTHING);
  // Who may use the security plug-in's own API is no matter of roles alone.
  return hasAll && !permission.startsWith('restapi:') ? 'granted' : 'unknown';
}
