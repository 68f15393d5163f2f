import { Type } from 'typebox';
import { object } from '../shared.js';

export const window = object(
  {
    opens: Type.String({
      description: 'When it opens: `22:00` every day, or `2026-11-21 22:00` once.',
      examples: ['22:00', '2026-11-21 22:00'],
    }),
    closes: Type.String({
      description:
        'When it closes: a time, on the next day where that is not after `opens`; or a date and a time, and where summer time ends in that hour an offset (`2026-10-25 02:30+01:00`).',
      examples: ['02:00', '2026-11-22 02:00'],
    }),
    zone: Type.Optional(
      Type.String({
        description: 'The zone of these times, by its name in the time zone database. Default: that of the controller.',
        examples: ['Europe/Berlin', 'UTC'],
      }),
    ),
  },
  { description: 'A maintenance window.' },
);
