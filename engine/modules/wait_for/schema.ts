import { Type, type Static } from 'typebox';
import { condition, duration, hint } from '../shared/arguments.js';

export const schema = Type.Object(
  {
    that: condition({ description: 'What is waited for.', examples: ['fact.health.status == "green"'] }),
    fail_if: Type.Optional(
      condition({
        description: 'Waiting is given up when this holds in several readings in a row.',
        examples: ['fact.health.status == "red"'],
      }),
    ),
    message: Type.Optional(
      Type.String({
        description: 'What is reported when the wait fails.',
        minLength: 1,
        examples: ['the cluster did not become green'],
      }),
    ),
    hint: Type.Optional(hint(['see GET /_cluster/allocation/explain', { look: 'journalctl -u cassandra -n 50' }])),
    timeout: Type.Optional(
      duration({ description: 'The limit; then the step fails. Default: 10m.', examples: ['10m'] }),
    ),
  },
  {
    additionalProperties: false,
    examples: [{ that: 'fact.health.status == "green"', timeout: '10m' }],
  },
);

/** A play on the controller may have it. */
export const withoutHost = true;

export type Args = Static<typeof schema>;
