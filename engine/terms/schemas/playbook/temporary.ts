import { Type } from 'typebox';
import { object } from '../shared.js';
import { stepId } from './names.js';

/** The build adds the modules. */
export const temporary = object(
  {
    no_restore_after: Type.Optional(
      stepId({
        description:
          'The `id` of a step. Once it has begun, a failure does not restore the change, because it would do harm. A step of the same play counts on each host by itself; a step of another play counts for all hosts once it has begun on one. The change is listed, and restored at the end of the run or by `close`.',
        examples: ['indexer_stopped'],
      }),
    ),
  },
  { description: 'The state that is restored when the run ends, or as soon as it fails: a module and its arguments.' },
);
