import { Type, type Static } from 'typebox';
import { absolutePath } from '../shared/arguments.js';

export const schema = Type.Object(
  {
    archive: absolutePath({
      description: 'The archive on the host, compressed or not.',
      examples: ['/var/cache/runbook/module-0.4.tar.gz'],
    }),
    into: absolutePath({
      description: 'The directory; it is created when it does not exist.',
      examples: ['/usr/share/app/module'],
    }),
    strip_components: Type.Optional(
      Type.Integer({
        description: "Leading components of each member's path that are removed. Default: 0.",
        minimum: 0,
        maximum: 16,
        examples: [1],
      }),
    ),
  },
  {
    additionalProperties: false,
    examples: [{ archive: '/var/cache/runbook/module-0.4.tar.gz', into: '/usr/share/app/module' }],
  },
);

export type Args = Static<typeof schema>;
