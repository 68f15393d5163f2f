import { Type, type Static } from 'typebox';
import { duration } from '../shared/arguments.js';

export const schema = Type.Object(
  {
    refuse_above: duration({ description: 'A greater difference refuses.', examples: ['5m'] }),
    warn_above: Type.Optional(
      duration({ description: 'A greater difference is a warning. Absent: no warning.', examples: ['30s'] }),
    ),
  },
  {
    additionalProperties: false,
    examples: [{ refuse_above: '5m', warn_above: '30s' }],
  },
);

export type Args = Static<typeof schema>;
