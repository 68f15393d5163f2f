import { Type, type Static } from 'typebox';
import type { Json } from '../../terms/json.js';
import { absolutePath, create, ownership, takesSecret } from '../shared/arguments.js';

export const schema = Type.Object(
  {
    path: absolutePath({ description: 'The file.', examples: ['/etc/grafana/grafana.yml'] }),
    set: Type.Optional(
      Type.Unsafe<Readonly<Record<string, Json>>>({
        ...takesSecret,
        description: 'Keys and their values, dotted or nested.',
        type: 'object',
        minProperties: 1,
        propertyNames: { pattern: '^[^$\\s.:#][^\\s:#]*$' },
        additionalProperties: {
          description: 'The value: a scalar, a list, or nested keys.',
          examples: ['/app/platform-home', true, ['10.0.0.11']],
        },
        examples: [{ 'uiSettings.overrides.defaultRoute': '/app/platform-home' }],
      }),
    ),
    remove: Type.Optional(
      Type.Array(Type.String({ description: 'A key.', minLength: 1, examples: ['server.rewriteBasePath'] }), {
        description: 'Dotted keys that must be absent, with all keys below them.',
        minItems: 1,
        uniqueItems: true,
        examples: [['server.rewriteBasePath']],
      }),
    ),
    only_missing: Type.Optional(
      Type.Boolean({ description: 'An existing key keeps its value. Default: false.', examples: [true] }),
    ),
    create,
    ...ownership,
  },
  {
    additionalProperties: false,
    examples: [
      {
        path: '/etc/grafana/grafana.yml',
        set: { 'uiSettings.overrides.defaultRoute': '/app/platform-home' },
      },
    ],
  },
);

export type Args = Static<typeof schema>;
