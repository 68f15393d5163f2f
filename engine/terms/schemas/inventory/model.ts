import { Type } from 'typebox';
import { anything, object, text } from '../shared.js';

/** Instead of real hosts. */
export const model = object(
  {
    socket: Type.Optional(
      text({
        description: 'The socket of the process that holds its state, relative to this file.',
        examples: ['.demo/model.sock'],
      }),
    ),
    from: Type.Optional(text({ description: 'The version that the model starts at.', examples: ['4.12.0'] })),
    options: Type.Optional(
      anything({
        description: 'The initial state of the model; see the model.',
        examples: [{ documents: 100 }],
      }),
    ),
  },
  { description: 'The embedded model.' },
);
