import type { Action } from '../../../../terms/action.js';
import type { At } from '../../../../terms/module.js';
import { timeLimitMs } from '../../../../modules/shared/time-limit.js';
import type { SavedObjectsArgs } from './schema.js';

const TIMEOUT_MS = 300_000;

/** Whoever signs in has one where none is named: which it is, the dashboard decides. No tenant's file can have this name. */
export const SIGNED_IN = '@signed-in';
const GLOBAL = 'global_tenant';
const SUFFIX = '.ndjson';

/** Any name is a tenant's; a file's holds no slash. */
export const fileOf = (tenant: string): string =>
  `${tenant === SIGNED_IN ? SIGNED_IN : encodeURIComponent(tenant)}${SUFFIX}`;

/** The tenant whose export a file is; undefined: it is none. */
export function tenantOf(file: string): string | undefined {
  if (!file.endsWith(SUFFIX)) return undefined;
  const name = file.slice(0, -SUFFIX.length);
  if (name === SIGNED_IN) return SIGNED_IN;
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}

/** The security plug-in calls it by another name than the dashboard. */
const headerOf = (tenant: string): { readonly securitytenant?: string } =>
  tenant === SIGNED_IN ? {} : { securitytenant: tenant === GLOBAL ? 'global' : tenant };

/** One call for one tenant to the dashboard on the host at hand. */
export function callOf(
  { endpoint, timeout }: SavedObjectsArgs,
  tenant: string,
  { task }: At,
  call: { readonly path: string } & Pick<Extract<Action, { do: 'request' }>['request'], 'json' | 'form'>,
): Extract<Action, { do: 'request' }> {
  const { path, ...body } = call;
  return {
    do: 'request',
    request: {
      endpoint,
      ...('host' in task.on ? { node: task.on.host } : {}),
      method: 'POST',
      path: `/api/saved_objects/${path}`,
      headers: { 'osd-xsrf': 'true', ...headerOf(tenant) },
      ...body,
      timeoutMs: timeLimitMs(timeout, TIMEOUT_MS),
    },
    expect: { status: [200] },
  };
}
