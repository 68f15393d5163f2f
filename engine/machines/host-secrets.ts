import type { Action, Outcome } from '../terms/action.js';
import type { Secrets } from '../terms/machine.js';
import { meetSecrets } from './secrets.js';

/** An action with every secret in its place, or the outcome that says which is missing. Only for performing it at once. */
export async function withSecrets(
  action: Action,
  secrets: Secrets,
): Promise<Action | Extract<Outcome, { is: 'refused' }>> {
  const met = await meetSecrets(action, secrets);
  if (met.is === 'met') return met.value;
  return { is: 'refused', by: 'machine', found: met.reason, ...(met.hint === undefined ? {} : { hint: met.hint }) };
}
