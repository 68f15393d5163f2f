import { Type, type Static } from 'typebox';

const path = (description: string, example: string) =>
  Type.String({ description, pattern: '^/[^\\s]*$', examples: [example] });

/** Knows how the dashboard lists the management APIs that it is configured with, and tries one. */
export const schema = Type.Object(
  {
    endpoint: Type.String({
      description: "The dashboard's endpoint in the inventory.",
      minLength: 1,
      examples: ['dashboard'],
    }),
    hosts: path('The path at which the dashboard lists its management APIs.', '/hosts/apis'),
    check: path('The path at which it tries one of them.', '/api/check-stored-api'),
    config: Type.String({
      description: 'The file with their addresses, users and passwords, for the hint.',
      minLength: 1,
      examples: ['/usr/share/platform-dashboard/data/platform/config/platform.yml'],
    }),
  },
  {
    additionalProperties: false,
    examples: [
      {
        endpoint: 'dashboard',
        hosts: '/hosts/apis',
        check: '/api/check-stored-api',
        config: '/usr/share/platform-dashboard/data/platform/config/platform.yml',
      },
    ],
  },
);

export type Args = Static<typeof schema>;

/** It asks an endpoint, no host. */
export const withoutHost = true;
