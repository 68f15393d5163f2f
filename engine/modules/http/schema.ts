import { Type, type Static } from 'typebox';
import type { Text } from '../../terms/secret.js';
import { duration, json, takesSecret, text } from '../shared/arguments.js';

const place = Type.Object(
  {
    pointer: Type.String({
      description: 'A JSON pointer (RFC 6901).',
      pattern: '^(?:/.*)?$',
      examples: ['/_shards/failed'],
    }),
    equals: json({
      description: 'The value. `1` and `"1"` are equal where a state is read.',
      examples: [0, 'green'],
    }),
  },
  {
    description: "A place in the answer's JSON, and its value.",
    additionalProperties: false,
    examples: [{ pointer: '/_shards/failed', equals: 0 }],
  },
);

export const schema = Type.Object(
  {
    endpoint: Type.String({ description: 'An endpoint of the inventory.', minLength: 1, examples: ['cluster', 'api'] }),
    node: Type.Optional(
      Type.String({
        description:
          'Send the request to the node on this inventory host. Absent: to any node except the one on which the run is working.',
        minLength: 1,
        examples: ['db-1'],
      }),
    ),
    method: Type.Optional(
      Type.Enum(['GET', 'PUT', 'POST', 'DELETE'], { description: 'The method. Default: GET.', examples: ['PUT'] }),
    ),
    path: Type.String({
      description: 'The path with its query.',
      pattern: '^/[^\\s]*$',
      examples: ['/_cluster/settings'],
    }),
    json: Type.Optional(
      json({
        description: 'The body. Sent as JSON; of a state, also the desired state.',
        ...takesSecret,
        examples: [{ persistent: { 'maintenance.mode': 'on' } }],
      }),
    ),
    headers: Type.Optional(
      Type.Unsafe<Readonly<Record<string, Text>>>({
        description: 'Headers besides those for authentication.',
        type: 'object',
        ...takesSecret,
        additionalProperties: text({ description: "A header's value.", examples: ['true'] }),
        propertyNames: { pattern: '^[A-Za-z0-9-]+$' },
        examples: [{ 'osd-xsrf': 'true' }],
      }),
    ),
    expect: Type.Optional(
      Type.Object(
        {
          status: Type.Optional(
            Type.Array(Type.Integer({ description: 'A status.', minimum: 100, maximum: 599, examples: [200] }), {
              description: 'HTTP statuses that are success. Default: 200 for a reading, else 200, 201, 202 and 204.',
              minItems: 1,
              examples: [[200]],
            }),
          ),
          at: Type.Optional(
            Type.Array(place, {
              description: 'What the answer must contain.',
              minItems: 1,
              examples: [[{ pointer: '/_shards/failed', equals: 0 }]],
            }),
          ),
        },
        {
          description: 'When an answer counts as success. A status alone is rarely enough.',
          additionalProperties: false,
          minProperties: 1,
          examples: [{ status: [200], at: [{ pointer: '/_shards/failed', equals: 0 }] }],
        },
      ),
    ),
    wanted: Type.Optional(
      Type.Object(
        {
          path: Type.Optional(
            Type.String({
              description: 'The path that is read. Default: `path`.',
              pattern: '^/[^\\s]*$',
              examples: ['/_template/platform'],
            }),
          ),
          pointer: Type.Optional(
            Type.String({
              description:
                'Where in the answer the state is: a resource that is replaced as a whole. Default: the whole answer, whose values are set one by one.',
              pattern: '^(?:/.*)?$',
              examples: ['/platform'],
            }),
          ),
          equals: Type.Optional(
            json({ description: 'The desired state, where that is not `json`.', examples: [{ order: 0 }] }),
          ),
        },
        {
          description: 'How the state is read, where that is not a GET of the same path compared with `json`.',
          additionalProperties: false,
          minProperties: 1,
          examples: [{ path: '/_template/platform', pointer: '/platform' }],
        },
      ),
    ),
    cleared_in: Type.Optional(
      Type.String({
        description:
          'A section whose values override those sent: values of the same names are cleared there in the same request.',
        minLength: 1,
        examples: ['transient'],
      }),
    ),
    done: Type.Optional(
      Type.Boolean({
        description: 'An action, not a state: it is sent once in a run and is not read back.',
        examples: [true],
      }),
    ),
    repeatable: Type.Optional(
      Type.Boolean({
        description:
          'An action that may be repeated when a run was interrupted in the middle of it. Default: false: the operator is asked to check.',
        examples: [true],
      }),
    ),
    changes: Type.Optional(
      Type.Unsafe<'nothing' | 'everything' | readonly string[]>({
        description:
          'What it changes beside the state that it is read by: `everything` that the endpoint answers, or a list of facts and endpoints. Reads after it are then known after apply. Default: nothing.',
        type: ['string', 'array'],
        pattern: '^(nothing|everything)$',
        uniqueItems: true,
        items: {
          description: 'A fact of the platform, on this host; or all that an endpoint answers.',
          type: 'string',
          pattern: '^(fact|endpoint)\\.[A-Za-z_][A-Za-z0-9_-]*$',
          examples: ['fact.drained', 'endpoint.cluster'],
        },
        examples: ['everything', ['fact.drained']],
      }),
    ),
    later: Type.Optional(
      Type.Array(place, {
        description: 'Answers that mean "not yet", whatever their status: the request is retried.',
        minItems: 1,
        examples: [[{ pointer: '/error', equals: 1017 }]],
      }),
    ),
    timeout: Type.Optional(duration({ description: 'How long one answer may take. Default: 1m.', examples: ['30s'] })),
  },
  {
    additionalProperties: false,
    examples: [
      { endpoint: 'cluster', path: '/_cluster/health', expect: { at: [{ pointer: '/status', equals: 'green' }] } },
      {
        endpoint: 'cluster',
        method: 'PUT',
        path: '/_cluster/settings',
        json: { persistent: { 'maintenance.mode': 'on' } },
        cleared_in: 'transient',
      },
      {
        endpoint: 'cluster',
        method: 'POST',
        path: '/_flush',
        repeatable: true,
        expect: { at: [{ pointer: '/_shards/failed', equals: 0 }] },
      },
    ],
  },
);

/** A play on the controller may have it. */
export const withoutHost = true;

export type HttpArgs = Static<typeof schema>;
