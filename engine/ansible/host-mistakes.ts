import { count } from '../lib/count.js';
import { getOrCreate } from '../lib/get-or-create.js';
import type { ConnectionMistake } from './connection.js';
import type { AnsibleHost } from './read.js';
import type { Mistake } from './types.js';

/** What is wrong with the connections of these hosts of a file. A value of a group is one mistake, whatever the number of its hosts. */
export function hostMistakes(file: string, hosts: readonly AnsibleHost[]): readonly Mistake[] {
  const seen = new Map<string, { readonly code: ConnectionMistake['code']; readonly hosts: string[] }>();
  for (const { name, mistakes } of hosts)
    for (const { code, text } of mistakes) getOrCreate(seen, text, () => ({ code, hosts: [] })).hosts.push(name);
  return [...seen].map(
    ([
      text,
      {
        code,
        hosts: [first = '', ...more],
      },
    ]) => ({
      at: file,
      message: `host ${first}: ${text}${more.length === 0 ? '' : ` (and ${count(more.length, 'more host')})`}`,
      hint: HINTS[code],
    }),
  );
}

const HINTS: Readonly<Record<ConnectionMistake['code'], string>> = {
  encrypted:
    'give its plain value in the inventory: addresses, users and ports are needed to write inventory.yaml, and passwords never are',
  'no address': 'add ansible_host with its address',
  connection: '--map GROUP=none leaves the hosts of a group out',
  value: 'write a plain value, or leave the variable out and edit inventory.yaml afterwards',
};
