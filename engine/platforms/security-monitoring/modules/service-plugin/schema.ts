import { Type, type Static } from 'typebox';
import { absolutePath, argv } from '../../../../modules/shared/arguments.js';

const TOOL = ['runuser', '-u', 'platform-indexer', '--', '/usr/share/platform-indexer/bin/opensearch-plugin'];

export const schema = Type.Object(
  {
    of: Type.Enum(['indexer', 'dashboard'], { description: 'Whose plug-in it is.', examples: ['indexer'] }),
    name: Type.String({
      description: "The plug-in's name, as in its descriptor and its directory.",
      pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$',
      examples: ['repository-s3'],
    }),
    state: Type.Enum(['staged', 'installed', 'restored'], { description: 'The desired state.', examples: ['staged'] }),
    archive: Type.Optional(
      absolutePath({
        description: 'Of `staged` and `installed`: the archive on the host, which the user of the service can read.',
        examples: ['/var/lib/runbook-plugins/repository-s3.zip'],
      }),
    ),
    from: Type.Optional(
      Type.String({
        description:
          'Of `staged`: the archive, by its https address (with no user and no password in it) or its absolute path on the controller.',
        examples: ['/srv/plugins/ours-2.19.4.zip'],
      }),
    ),
    repository: Type.Optional(
      Type.String({
        description:
          'Of `staged`, where `from` is absent or empty: the address below which the vendor has its own plug-ins.',
        examples: ['https://artifacts.opensearch.org/releases/plugins'],
      }),
    ),
    engine: Type.Optional(
      Type.String({
        description: 'Of `staged`: the version of the engine that the plug-in must be built for.',
        examples: ['2.19.4'],
      }),
    ),
    directory: Type.Optional(
      absolutePath({
        description: 'Of `installed` and `restored`: the plug-in directory.',
        examples: ['/usr/share/platform-indexer/plugins'],
      }),
    ),
    tool: Type.Optional(
      argv(
        {
          description: 'Of `installed`: the plug-in tool, as the user who owns the installation.',
          examples: [TOOL],
        },
        ['runuser'],
      ),
    ),
    backup: Type.Optional(
      absolutePath({
        description: "Of `restored`: the backup that has the plug-in's directory, if there was one.",
        examples: ['/var/backups/runbook/before-4.14/4.12.0'],
      }),
    ),
  },
  {
    additionalProperties: false,
    allOf: [
      { if: { properties: { state: { const: 'staged' } } }, then: { required: ['archive', 'engine'] } },
      { if: { properties: { state: { const: 'installed' } } }, then: { required: ['archive', 'directory', 'tool'] } },
      { if: { properties: { state: { const: 'restored' } } }, then: { required: ['directory', 'backup'] } },
    ],
    examples: [
      {
        of: 'indexer',
        name: 'ours',
        state: 'staged',
        from: '/srv/plugins/ours-2.19.4.zip',
        archive: '/var/lib/runbook-plugins/ours.zip',
        engine: '2.19.4',
      },
      {
        of: 'indexer',
        name: 'ours',
        state: 'installed',
        archive: '/var/lib/runbook-plugins/ours.zip',
        directory: '/usr/share/platform-indexer/plugins',
        tool: TOOL,
      },
      {
        of: 'indexer',
        name: 'ours',
        state: 'restored',
        directory: '/usr/share/platform-indexer/plugins',
        backup: '/var/backups/runbook/before-4.14/4.12.0',
      },
    ],
  },
);

export type Args = Static<typeof schema>;
