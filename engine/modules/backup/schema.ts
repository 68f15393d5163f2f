import { Type, type Static } from 'typebox';
import { absolutePath } from '../shared/arguments.js';

/** One file, copied beside itself or elsewhere: the specification's `.bak`. */
const copy = Type.Object({
  file: absolutePath({ description: 'One file.', examples: ['/etc/cassandra/jvm.options'] }),
  as: absolutePath({ description: 'Its copy.', examples: ['/etc/cassandra/jvm.options.bak'] }),
});

/** Files and directories with everything below them, each below `to` under its own path. */
const tree = Type.Object({
  paths: Type.Array(absolutePath({ description: 'A path.', examples: ['/etc/cassandra'] }), {
    description: 'Files and directories.',
    minItems: 1,
    uniqueItems: true,
    examples: [['/etc/cassandra']],
  }),
  to: absolutePath({
    description: 'The directory that holds the copies.',
    examples: ['/var/backups/runbook/2026-11-21'],
  }),
  exclude: Type.Optional(
    Type.Array(absolutePath({ description: 'A path below one of `paths`.', examples: ['/var/platform/etc/shared'] }), {
      description: 'What is excluded, with everything below it.',
      minItems: 1,
      uniqueItems: true,
      examples: [['/var/platform/etc/shared']],
    }),
  ),
  skip_missing: Type.Optional(
    Type.Boolean({ description: 'Skip paths that do not exist. Default: false, which refuses.', examples: [true] }),
  ),
});

export const schema = Type.Object(
  { ...Type.Partial(copy).properties, ...Type.Partial(tree).properties },
  {
    additionalProperties: false,
    oneOf: [
      { required: ['file', 'as'], properties: { paths: false, to: false, exclude: false, skip_missing: false } },
      { required: ['paths', 'to'], properties: { file: false, as: false } },
    ],
    examples: [
      { file: '/etc/cassandra/jvm.options', as: '/etc/cassandra/jvm.options.bak' },
      { paths: ['/etc/cassandra'], to: '/var/backups/runbook/2026-11-21' },
    ],
  },
);

export type CopyArgs = Static<typeof copy>;
export type TreeArgs = Static<typeof tree>;
