import { Type, type Static } from 'typebox';
import { absolutePath, condition, duration } from '../../../../modules/shared/arguments.js';

export const schema = Type.Object(
  {
    endpoint: Type.String({
      description: "The dashboard's endpoint in the inventory.",
      minLength: 1,
      examples: ['dashboard'],
    }),
    state: Type.Enum(['exported', 'imported'], {
      description: '`exported`: the files hold them. `imported`: the dashboard has every object of the files.',
      examples: ['exported'],
    }),
    directory: absolutePath({
      description: 'The directory on the host that holds the files; it must exist.',
      examples: ['/var/backups/runbook/saved-objects'],
    }),
    types: Type.Optional(
      Type.Array(Type.String({ description: 'A type.', minLength: 1, examples: ['dashboard'] }), {
        description:
          'Types of objects to export, with the objects that they refer to. Absent or empty: all that the dashboard reports as exportable.',
        uniqueItems: true,
        examples: [['index-pattern', 'dashboard']],
      }),
    ),
    fallback_types: Type.Optional(
      Type.Array(Type.String({ description: 'A type.', minLength: 1, examples: ['dashboard'] }), {
        description:
          'Types to export where `types` is empty and the dashboard does not report its own; a warning is shown.',
        uniqueItems: true,
        examples: [['index-pattern', 'dashboard']],
      }),
    ),
    tenants: Type.Optional(
      Type.Array(Type.String({ description: 'A tenant.', minLength: 1, examples: ['global_tenant'] }), {
        description:
          'The tenants to export, by the names of the security plug-in (`global_tenant` is shared by all users). Absent or empty: all that are listed.',
        uniqueItems: true,
        examples: [['global_tenant', 'night_shift']],
      }),
    ),
    listed_by: Type.Optional(
      Type.String({
        description:
          "The indexer's endpoint, whose security plug-in lists the tenants. Absent: the signed-in user's tenant only, unless `tenants` names others.",
        minLength: 1,
        examples: ['indexer'],
      }),
    ),
    force: Type.Optional(
      condition({
        description:
          'Whether an existing export is out of date: then its file is renamed to `….until-TIME`, and a new one is written.',
        examples: ['!all_hosts.indexer.exists(h, h.installed.indexer == platform.target)'],
      }),
    ),
    timeout: Type.Optional(duration({ description: 'How long a request may take. Default: 5m.', examples: ['5m'] })),
  },
  {
    additionalProperties: false,
    allOf: [
      {
        if: { properties: { state: { const: 'exported' } } },
        else: { properties: { types: false, fallback_types: false, tenants: false, listed_by: false, force: false } },
      },
    ],
    examples: [
      {
        endpoint: 'dashboard',
        state: 'exported',
        directory: '/var/backups/runbook/saved-objects',
        types: ['index-pattern', 'dashboard'],
        listed_by: 'indexer',
      },
      { endpoint: 'dashboard', state: 'imported', directory: '/var/backups/runbook/saved-objects' },
    ],
  },
);

export type SavedObjectsArgs = Static<typeof schema>;
