import { Type } from 'typebox';
import { duration, object, text } from '../shared.js';
import { secretText } from './secret.js';

export const ssh = object(
  {
    user: Type.Optional(
      text({ description: 'The login user. Default: from your ssh_config, else your user.', examples: ['ops'] }),
    ),
    port: Type.Optional(Type.Integer({ description: 'The TCP port.', minimum: 1, maximum: 65535, examples: [22] })),
    key: Type.Optional(
      text({
        description: 'A private key file, relative to this file. Default: the agent, then ssh_config.',
        examples: ['~/.ssh/id_ed25519'],
      }),
    ),
    passphrase: Type.Optional(
      secretText({
        description: "The key's passphrase, as a secret. Default: asked once.",
        examples: ['{{secret.key}}'],
      }),
    ),
    password: Type.Optional(
      secretText({ description: 'The login password, as a secret.', examples: ['{{secret.ops}}'] }),
    ),
    known_hosts: Type.Optional(
      text({ description: 'The file of known host keys, relative to this file.', examples: ['known_hosts'] }),
    ),
    jump: Type.Optional(
      Type.Unsafe<string | readonly string[]>({
        description: 'Jump hosts, in order, as `user@host:port`.',
        type: ['string', 'array'],
        minLength: 1,
        items: { description: 'A jump host.', type: 'string', minLength: 1, examples: ['ops@bastion:22'] },
        examples: ['bastion', ['ops@bastion:22']],
      }),
    ),
    config: Type.Optional(text({ description: 'An ssh_config file instead of your own.', examples: ['ssh_config'] })),
    become: Type.Optional(
      Type.Enum(['sudo', 'none'], { description: 'Privilege escalation with sudo.', examples: ['sudo'] }),
    ),
    become_user: Type.Optional(text({ description: 'The target user. Default: root.', examples: ['root'] })),
    become_password: Type.Optional(
      secretText({ description: "sudo's password, as a secret.", examples: ['{{secret.sudo}}'] }),
    ),
    connect_timeout: Type.Optional(
      duration({ description: 'How long establishing a connection may take.', examples: ['20s'] }),
    ),
  },
  { description: 'SSH settings.' },
);
