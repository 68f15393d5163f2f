import { Type } from 'typebox';
import { byName, NAME, url, values } from '../shared.js';

export const platform = Type.Object(
  {
    target: Type.Optional(
      Type.String({
        description:
          "The target version of every central component: one to four numbers, in quotes where there are two; as many as the platform's `version_example` has.",
        pattern: '^(?:\\d+(?:\\.\\d+){0,3}(?:[-+~]\\S*)?|.*\\{\\{.*)$',
        examples: ['4.14.7'],
      }),
    ),
    package_url: Type.Optional(
      url({
        description: 'The URL of packages and other downloads.',
        examples: ['https://packages.example.com'],
      }),
    ),
    offline_packages: Type.Optional(
      Type.String({
        description:
          'A directory on the controller, relative to this file, with SHA256SUMS and the .deb and .rpm files of the target and of the previous versions: they are uploaded, and no host uses a repository.',
        examples: ['packages/'],
      }),
    ),
    names: Type.Optional(
      byName(values({ description: 'A group.' }), {
        description: "Overrides of the platform's names, by group.",
        examples: [{ indexer: { package: 'acme-indexer' } }],
      }),
    ),
  },
  {
    description: 'Values that playbooks read as `{{platform.NAME}}`: keys of your own are allowed.',
    propertyNames: { pattern: NAME },
    additionalProperties: true,
    examples: [{ target: '4.14.7', package_url: 'https://packages.example.com' }],
  },
);
