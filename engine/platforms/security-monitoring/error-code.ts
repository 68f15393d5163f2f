import { jsonOrUndefined, pointer } from '../../lib/json.js';

/** The number that the management API gives its errors (`1017`); undefined when there is none. */
export function errorCode({ body }: { readonly body: string }): number | undefined {
  const code = pointer(jsonOrUndefined(body) ?? null, '/error');
  return typeof code === 'number' ? code : undefined;
}
