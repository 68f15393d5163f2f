import { createSecrets, meetSecrets } from '../machines/secrets.js';
import type { Inventory } from '../terms/inventory.js';

/**
 * The passwords of an inventory's endpoints as far as this process gets them without a question: those that the model's endpoints take. An endpoint whose
 * secret is not set here takes any.
 */
export async function endpointPasswords(
  { endpoints, secrets: sources }: Inventory,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Readonly<Record<string, string>>> {
  const secrets = createSecrets({ sources, env, ask: () => Promise.resolve(undefined) });
  const found: Record<string, string> = {};
  for (const { name, password } of Object.values(endpoints)) {
    if (password === undefined) continue;
    const met = await meetSecrets<unknown>(password, secrets);
    if (met.is === 'met' && typeof met.value === 'string') found[name] = met.value;
  }
  return found;
}
