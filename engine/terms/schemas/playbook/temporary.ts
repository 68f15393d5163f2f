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
    restored_by: Type.Optional(
      stepId({
        description:
          'The `id` of the step that restores the change in the course of the run, on the same host; it has no `loop`. For what is no state that can be read: a command or a request that ends a drain. On a failure before that step, what is given here is done.',
        examples: ['returned_to_pool'],
      }),
    ),
  },
  { description: 'The state that is restored when the run ends, or as soon as it fails: a module and its arguments.' },
);
