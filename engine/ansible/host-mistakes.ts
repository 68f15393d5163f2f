import { count } from '../lib/count.js';
import type { AnsibleHost } from './read.js';
import type { Mistake } from './types.js';

/** What is wrong with the connections of these hosts of a file. A value of a group is one mistake, whatever the number of its hosts. */
export function hostMistakes(file: string, hosts: readonly AnsibleHost[]): readonly Mistake[] {
  const seen = new Map<string, string[]>();
  for (const { name, mistakes } of hosts)
    for (const mistake of mistakes) seen.set(mistake, [...(seen.get(mistake) ?? []), name]);
  return [...seen].map(([mistake, [first = '', ...more]]) => ({
    at: file,
    message: `host ${first}: ${mistake}${more.length === 0 ? '' : ` (and ${count(more.length, 'more host')})`}`,
    hint: hintFor(mistake),
  }));
}

function hintFor(mistake: string): string {
  if (mistake.includes('Vault'))
    return 'give its plain value in the inventory: addresses, users and ports are needed to write inventory.yaml, and passwords never are';
  if (mistake.startsWith('ansible_connection')) return '--map GROUP=none leaves the hosts of a group out';
  return mistake.includes('no ansible_host')
    ? 'add ansible_host with its address'
    : 'write a plain value, or leave the variable out and edit inventory.yaml afterwards';
}
