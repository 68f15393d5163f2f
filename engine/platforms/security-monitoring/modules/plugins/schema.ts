import { Type, type Static } from 'typebox';
import { absolutePath } from '../../../../modules/shared/arguments.js';

/** Knows how plug-ins of the indexer and of the dashboard say what they were built for. */
export const schema = Type.Object(
  {
    of: Type.Enum(['indexer', 'dashboard'], { description: 'Whose plug-ins they are.', examples: ['indexer'] }),
    directory: absolutePath({
      description: 'The plug-in directory.',
      examples: ['/usr/share/platform-indexer/plugins'],
    }),
    package: Type.String({
      description: 'The package that brings the others.',
      minLength: 1,
      examples: ['platform-indexer'],
    }),
    engine: Type.Optional(
      Type.String({
        description:
          'Version of the installed engine; a plug-in built for another version is refused. Absent or empty: not compared.',
        examples: ['2.19.4'],
      }),
    ),
    allow: Type.Optional(
      Type.Array(
        Type.String({
          description: "A plug-in's name, as in its directory.",
          minLength: 1,
          examples: ['repository-s3'],
        }),
        { description: 'Names of plug-ins that are allowed.', uniqueItems: true, examples: [['repository-s3']] },
      ),
    ),
    reinstalled: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: Type.String({
              description: "A plug-in's name, as in its directory.",
              minLength: 1,
              examples: ['repository-s3'],
            }),
          },
          { description: 'One of them.', additionalProperties: true, examples: [{ name: 'repository-s3' }] },
        ),
        {
          description: 'Plug-ins that the upgrade installs in the version of the new engine: they are not judged.',
          examples: [[{ name: 'repository-s3' }]],
        },
      ),
    ),
  },
  {
    additionalProperties: false,
    examples: [
      {
        of: 'indexer',
        directory: '/usr/share/platform-indexer/plugins',
        package: 'platform-indexer',
        engine: '{{fact.engine_installed}}',
        allow: ['repository-s3'],
      },
    ],
  },
);

export type Args = Static<typeof schema>;
