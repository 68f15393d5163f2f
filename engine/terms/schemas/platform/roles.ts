import { Type, type Static } from 'typebox';
import { byName, list, name, object, text } from '../shared.js';

export const role = object(
  {
    description: text({
      description: 'What hosts of this role do.',
      examples: ['Data store; a cluster of one or more nodes.'],
    }),
    min: Type.Optional(Type.Integer({ description: 'The minimum number of hosts.', minimum: 0, examples: [1] })),
    max: Type.Optional(Type.Integer({ description: 'The maximum number of hosts.', minimum: 0, examples: [1] })),
    requires: Type.Optional(
      name({ description: 'A host of this role must also have that role.', examples: ['server'] }),
    ),
    with_one_of: Type.Optional(
      list(name({ description: 'A role.', examples: ['master'] }), {
        description: 'A host of this role must also have one of these roles.',
        minItems: 1,
        uniqueItems: true,
        examples: [['master', 'worker']],
      }),
    ),
    group_names: Type.Optional(
      list(text({ description: 'A name, in the singular.', examples: ['manager'] }), {
        description:
          'Other names that groups of such hosts have: `runbook init` gives hosts of such an Ansible group this role.',
        minItems: 1,
        uniqueItems: true,
        examples: [['manager']],
      }),
    ),
    generic_names: Type.Optional(
      list(text({ description: 'A name, in the singular.', examples: ['manager'] }), {
        description:
          'Names of this role, its own or others, that groups of foreign hosts have, too. `runbook init` takes such a name only alone, or beside words that are names of roles, of the packages, or beside an unmistakable name in another group: `db_servers` gets no role.',
        minItems: 1,
        uniqueItems: true,
        examples: [['server', 'manager']],
      }),
    ),
    ansible_vars: Type.Optional(
      byName(text({ description: 'A variable of Ansible.', examples: ['store_node_name'] }), {
        description:
          'Variables that `runbook init` takes over from hosts of an Ansible inventory: those of ours, with the names that they have there.',
        examples: [{ node_name: 'store_node_name' }],
      }),
    ),
    one_at_a_time: Type.Optional(
      Type.Boolean({
        description:
          'Its hosts are changed one at a time: a play whose `serial` differs, or that stops units and installs packages without `serial`, is refused.',
        examples: [true],
      }),
    ),
    no_packages: Type.Optional(
      Type.Boolean({
        description:
          'No component is a package on its hosts: no run reads versions there, and only plays that select such a host contact it.',
        examples: [true],
      }),
    ),
  },
  { description: 'A role.' },
);

export const lease = object(
  {
    roles: list(name({ description: 'A role.', examples: ['indexer'] }), {
      description: 'Roles of the hosts.',
      minItems: 1,
      uniqueItems: true,
      examples: [['indexer', 'server']],
    }),
    file: Type.String({
      description: 'Its path on these hosts. It must survive a reboot; its directory is created where there is none.',
      pattern: '^/.*[^/]$',
      examples: ['/var/lib/runbook/lease'],
    }),
  },
  {
    description:
      'Hosts of these roles have a file that names the run that changes them, written when the run begins and removed at its end: a run with the same hosts from another directory, by another user or on another machine is refused. The file beside it, with `.journal` at the end of its name, says how far the record of the run was.',
    examples: [{ roles: ['indexer', 'server'], file: '/var/lib/runbook/lease' }],
  },
);

export type Lease = Static<typeof lease>;
