import type { Fact } from '../terms/fact.js';

/**
 * The value of a secret, for an edit that compares a file of a host with what it should hold. No machine is asked for it: it comes from the same
 * place as the value that is written there.
 */
export const secret: Fact<string, string> = { name: 'secret', key: (name) => name };
