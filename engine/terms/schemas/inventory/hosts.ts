import { Type, type Static, type TSchema } from 'typebox';
import { list, object, ref, text, variables, zone } from '../shared.js';
import { ssh } from './ssh.js';

/** An entry may stand without a value: `web-1:`. */
const orEmpty = <T extends TSchema>(schema: T) =>
  Type.Unsafe<Static<T> | null>({ ...schema, type: ['object', 'null'] });

export const host = orEmpty(
  object(
    {
      address: Type.Optional(
        text({
          description: 'Its DNS name or IP address. Default: its name.',
          examples: ['10.0.0.21', 'web-{{n}}.example.com'],
        }),
      ),
      roles: Type.Optional(
        list(text({ description: 'A role of platform.yaml.', examples: ['indexer'] }), {
          description: 'Its roles in the platform.',
          uniqueItems: true,
          examples: [['server', 'master']],
        }),
      ),
      groups: Type.Optional(
        list(text({ description: 'A group of `groups`.', examples: ['berlin'] }), {
          description: 'Groups that it belongs to.',
          uniqueItems: true,
          examples: [['berlin']],
        }),
      ),
      vars: Type.Optional(variables('Variables of this host.')),
      ssh: Type.Optional(ref('ssh', ssh, { description: 'SSH settings of this host.', examples: [{ port: 2222 }] })),
      zone: Type.Optional(
        zone({
          description: 'Reached by a worker of this zone (`runbook worker`), not by this machine.',
          examples: ['berlin'],
        }),
      ),
      machine: Type.Optional(
        Type.Enum(['ssh', 'local', 'model'], {
          description: 'The connection. Default: `ssh`, or `model` when the inventory has a `model`.',
          examples: ['local'],
        }),
      ),
    },
    { description: 'A host.' },
  ),
);

export const group = orEmpty(
  object(
    {
      hosts: Type.Optional(
        list(text({ description: 'A host name, a range or a glob.', examples: ['web-[001:010]', 'web-*'] }), {
          description: 'Its hosts: names, ranges or globs.',
          examples: [['web-*']],
        }),
      ),
      vars: Type.Optional(variables('Variables of its hosts.')),
      zone: Type.Optional(zone({ description: 'The zone of its hosts.', examples: ['berlin'] })),
      ssh: Type.Optional(ref('ssh', ssh, { description: 'SSH settings of its hosts.', examples: [{ user: 'admin' }] })),
    },
    { description: 'A group.' },
  ),
);
