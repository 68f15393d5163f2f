import { Type, type Static } from 'typebox';
import { duration } from '../../../../modules/shared/arguments.js';

/** Knows the indexer's snapshots (§9.3.1). */
export const schema = Type.Object(
  {
    endpoint: Type.String({
      description: 'The endpoint of the inventory to use.',
      minLength: 1,
      examples: ['indexer'],
    }),
    repository: Type.String({
      description: "The repository's name.",
      pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$',
      examples: ['before-upgrades'],
    }),
    state: Type.Enum(['registered', 'taken', 'available'], {
      description:
        '`registered`: the repository exists. `taken`: it has a snapshot. `available` only checks that it has one.',
      examples: ['taken'],
    }),
    location: Type.Optional(
      Type.String({
        description:
          'The location of a new repository, a directory that all nodes share and that `path.repo` names. Empty or absent: the repository must exist.',
        pattern: '^(?:/.*)?$',
        examples: ['/mnt/snapshots'],
      }),
    ),
    name: Type.Optional(
      Type.String({
        description: 'The name of a new snapshot: lower case, and different in each run.',
        pattern: '^[a-z0-9][a-z0-9._-]*$',
        examples: ['runbook-20261121'],
      }),
    ),
    max_age: Type.Optional(
      duration({ description: 'The maximum age of an existing snapshot. Default: 24h.', examples: ['24h'] }),
    ),
    timeout: Type.Optional(
      duration({ description: 'How long a new snapshot may take. Default: 6h.', examples: ['6h'] }),
    ),
  },
  {
    additionalProperties: false,
    allOf: [
      {
        if: { properties: { state: { const: 'taken' } } },
        then: { required: ['name'] },
        else: { properties: { name: false, timeout: false } },
      },
      {
        if: { properties: { state: { const: 'registered' } } },
        then: { properties: { max_age: false } },
        else: { properties: { location: false } },
      },
    ],
    examples: [
      { endpoint: 'indexer', repository: 'before-upgrades', state: 'registered', location: '/mnt/snapshots' },
      { endpoint: 'indexer', repository: 'before-upgrades', state: 'taken', name: 'runbook-20261121', max_age: '24h' },
    ],
  },
);

/** A play on the controller may have it. */
export const withoutHost = true;

export type SnapshotArgs = Static<typeof schema>;
