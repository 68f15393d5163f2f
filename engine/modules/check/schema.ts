import { Type, type Static } from 'typebox';
import { condition, hint } from '../shared/arguments.js';

export const schema = Type.Object(
  {
    that: condition({ description: 'What must hold.', examples: ['fact.health.status == "green"'] }),
    message: Type.String({
      description: 'What is reported when it does not hold.',
      minLength: 1,
      examples: ['the cluster is not green'],
    }),
    hint: Type.Optional(
      hint(['wait for green, or see GET /_cluster/allocation/explain', { look: 'journalctl -u cassandra -n 50' }]),
    ),
    severity: Type.Optional(
      Type.Enum(['error', 'warning'], {
        description:
          '`warning` reports what does not hold, and continues. With a `hint`, a plan lists it as a decision to make before the run.',
        examples: ['warning'],
      }),
    ),
  },
  {
    additionalProperties: false,
    examples: [{ that: 'fact.health.status == "green"', message: 'the cluster is not green before the upgrade' }],
  },
);

/** A play on the controller may have it. */
export const withoutHost = true;

export type Args = Static<typeof schema>;
