import { Type, type Static } from 'typebox';
import { absolutePath } from '../shared/arguments.js';

export const schema = Type.Object(
  {
    paths: Type.Unsafe<readonly [string, ...string[]]>(
      Type.Array(absolutePath({ description: 'A path.', examples: ['/etc/yum.repos.d/platform.repo'] }), {
        description: 'Possible paths of the file: the first that exists is used.',
        minItems: 1,
        examples: [['/etc/apt/sources.list.d/platform.list', '/etc/yum.repos.d/platform.repo']],
      }),
    ),
    url: Type.String({
      description: "The repository's URL, or the beginning of it.",
      minLength: 1,
      examples: ['https://packages.example.com'],
    }),
    state: Type.Enum(['enabled', 'disabled'], { description: 'The desired state.', examples: ['enabled'] }),
  },
  {
    additionalProperties: false,
    examples: [
      {
        paths: ['/etc/apt/sources.list.d/platform.list', '/etc/yum.repos.d/platform.repo'],
        url: 'https://packages.example.com',
        state: 'enabled',
      },
    ],
  },
);

export type Args = Static<typeof schema>;
