import { Type, type Static } from 'typebox';
import { absolutePath } from '../shared/arguments.js';

const paths = (description: string, examples: readonly (readonly string[])[]) =>
  Type.Optional(
    Type.Array(absolutePath({ description: 'An absolute path.', examples: ['/etc/hosts'] }), {
      description,
      examples: [...examples],
    }),
  );

export const schema = Type.Object(
  {
    user: Type.String({ description: 'The user of the service.', minLength: 1, examples: ['grafana'] }),
    read: paths('Files and directories that must exist, and that it must be able to read.', [
      ['/etc/grafana/grafana.yml'],
    ]),
    write: paths('The same, and it must be able to write them.', [['/var/lib/grafana']]),
    read_existing: paths('What it must be able to read where it exists.', [['/etc/grafana/grafana.keystore']]),
  },
  {
    additionalProperties: false,
    examples: [{ user: 'grafana', read: ['/etc/grafana/grafana.yml'], write: ['/var/lib/grafana'] }],
  },
);

export type Args = Static<typeof schema>;
