import { Type, type Static } from 'typebox';
import { duration, version } from '../../../../modules/shared/arguments.js';

export const schema = Type.Object(
  {
    endpoint: Type.String({ description: 'The endpoint of the management API.', minLength: 1, examples: ['api'] }),
    state: Type.Enum(['upgraded', 'not_newer', 'older', 'behind', 'listed', 'active'], {
      description:
        '`upgraded`: each is at `version` or newer. `not_newer`: none is newer than `version`. `older`: changes nothing; `register` takes how many are older than `version` (`count` of `total`) and which (`list`: id, name and version of at most 20). `behind`: changes nothing; `register` takes how many of `hosts` have no agent of their name at `version` or newer (`count` of `total`), and which (`list`). `listed`: changes nothing; `register` takes all agents, with `total`, `active`, `disconnected`, `pending`, `never_connected` and, compared with `version`, `at_target`, `newer`, `below_target` and `below` (at most 20 names); agents that are not active, below or newer cause a warning. `active`: at least one agent is active, where one ever connected; agents that return are waited for until `timeout`.',
      examples: ['upgraded'],
    }),
    version: Type.Optional(
      version({
        description:
          'The release; the package revision is not compared. Required except for `listed`, which compares with it, and `active`.',
        examples: ['4.14.7'],
      }),
    ),
    exclude_below: Type.Optional(
      version({
        description: 'Agents older than this are left unchanged.',
        examples: ['4.9'],
      }),
    ),
    except: Type.Optional(
      Type.Array(Type.String({ description: "An agent's name.", examples: ['web-001'] }), {
        description: 'Names of agents to leave out, such as those whose hosts are upgraded by their package.',
        examples: [['web-001']],
      }),
    ),
    hosts: Type.Optional(
      Type.Array(Type.String({ description: "A host's name.", examples: ['pc-1'] }), {
        description: 'Names of hosts whose agents must be at `version`, for `behind`.',
        examples: [['pc-1', 'pc-2']],
      }),
    ),
    awaited: Type.Optional(
      Type.Array(Type.String({ description: "An agent's name.", examples: ['web-001'] }), {
        description:
          'Names of agents that were just downgraded, for `not_newer`: where no other agent is newer, the step waits for them to report their version, until `timeout`.',
        examples: [['web-001']],
      }),
    ),
    severity: Type.Optional(
      Type.Enum(['error', 'warning'], {
        description:
          'The result of a newer agent, for `not_newer`, of no active one, for `active`, or of agents that failed, for `upgraded`: `error`, the default, or only a `warning`, for which nothing is waited for.',
        examples: ['warning'],
      }),
    ),
    hint: Type.Optional(
      Type.String({
        description:
          'What to do about newer agents, for `not_newer`, or how to go on without those that failed, for `upgraded`.',
        minLength: 1,
        examples: ['downgrade them first'],
      }),
    ),
    choose: Type.Optional(
      Type.Object(
        {
          groups: Type.Optional(
            Type.Unsafe<string | readonly string[]>({
              description: 'Agents of one of these groups.',
              type: ['array', 'string'],
              items: { description: 'A group.', type: 'string', examples: ['web'] },
              examples: [['web'], 'web'],
            }),
          ),
          versions: Type.Optional(
            Type.Unsafe<string | readonly string[]>({
              description: 'Agents of these versions; `4.12` is every 4.12.',
              type: ['array', 'string'],
              items: { description: 'A version.', type: 'string', examples: ['4.12'] },
              examples: [['4.12'], '4.12'],
            }),
          ),
          names: Type.Optional(
            Type.Unsafe<string | readonly string[]>({
              description:
                'Agents of these names; `*` matches any text, `?` one character. With `ids`, an agent needs to match only one of both. A name that no agent has is refused.',
              type: ['array', 'string'],
              items: { description: 'A name.', type: 'string', examples: ['web-*'] },
              examples: [['web-*'], 'web-*'],
            }),
          ),
          ids: Type.Optional(
            Type.Unsafe<string | readonly string[]>({
              description:
                "Agents with these ids. An id that no agent has is refused. `all` is the remote tool's `-a all`.",
              type: ['array', 'string'],
              items: { description: 'An id.', type: 'string', examples: ['001'] },
              examples: [['001'], '001'],
            }),
          ),
        },
        {
          description:
            'Only these agents: those that match every filter that is not empty. A list may be a text with commas.',
          additionalProperties: false,
          examples: [{ groups: ['web'], versions: ['4.12'] }],
        },
      ),
    ),
    canary: Type.Optional(
      Type.Unsafe<number | string>({
        description: 'The number of agents in the first wave (canary). Default: 0, none.',
        type: ['integer', 'string'],
        minimum: 0,
        examples: [5],
        pattern: '^(?:0|[1-9]\\d*)$',
      }),
    ),
    wave: Type.Optional(
      Type.Unsafe<number | string>({
        description:
          'Agents requested together; the next wave starts after they end: a number, or a share of all. 0 or absent: all at once.',
        type: ['integer', 'string'],
        minimum: 0,
        pattern: '^(?:0|[1-9]\\d*|(?:100|[1-9]\\d?)%)$',
        examples: [1000, '10%'],
      }),
    ),
    stop_at: Type.Optional(
      Type.Unsafe<number | string>({
        description:
          'When this many agents of a wave failed, or this share, the next wave is not started and the step fails; fewer failures are a warning. Default: any failure fails the step, at its end.',
        type: ['integer', 'string'],
        minimum: 1,
        pattern: '^(?:[1-9]\\d*|(?:100|[1-9]\\d?)%)$',
        examples: ['20%'],
      }),
    ),
    way: Type.Optional(
      Type.Enum(['api', 'tool'], {
        description:
          "`api`: `PUT /agents/upgrade`. `tool`: the remote upgrade tool on the step's host, one agent at a time; its output is read. Default: `api`.",
        examples: ['api'],
      }),
    ),
    tool: Type.Optional(
      Type.String({
        description: 'Path of the remote upgrade tool, for `way: tool`.',
        examples: ['/var/platform/bin/agent_upgrade'],
      }),
    ),
    repository: Type.Optional(
      Type.String({
        description:
          "A repository of agent packages that the managers reach instead of the vendor's, laid out as that is; without a scheme over HTTPS. Empty: the vendor's.",
        pattern: String.raw`^(?:(?:https?://)?[\w.-]+(?::\d+)?(?:/[\w./-]*)?)?$`,
        examples: ['mirror.example.com/agents/'],
      }),
    ),
    package_file: Type.Optional(
      Type.String({
        description:
          'An agent package on the managers, below their installation directory, that each chosen agent is upgraded with; it fits one kind of system only. Empty: none.',
        pattern: String.raw`^(?:/[\w./-]+)?$`,
        examples: ['/var/platform/var/upgrade/agent_4.14.7_linux_x86_64.wpk'],
      }),
    ),
    page_size: Type.Optional(
      Type.Integer({
        description: 'Agents on one page of the list. Default: 2000.',
        minimum: 1,
        maximum: 100000,
        examples: [500],
      }),
    ),
    timeout: Type.Optional(
      duration({
        description:
          "How long the API may take to be ready, and each agent to report the new version; the manager ends an upgrade after 15m. Default: 20m for an agent, the step's own timeout for the API.",
        examples: ['20m'],
      }),
    ),
  },
  {
    additionalProperties: false,
    examples: [
      { endpoint: 'api', state: 'upgraded', version: '4.14.7', exclude_below: '4.9' },
      {
        endpoint: 'api',
        state: 'upgraded',
        version: '4.14.7',
        choose: { groups: ['web'] },
        canary: 5,
        wave: 1000,
        stop_at: '20%',
      },
      { endpoint: 'api', state: 'not_newer', version: '4.14.7' },
      { endpoint: 'api', state: 'listed', version: '4.14.7' },
    ],
  },
);

/** A play on the controller may have it. */
export const withoutHost = true;

export type Args = Static<typeof schema>;

/** Through the management API. */
export const installs = { state: 'upgraded', component: 'agent' };
