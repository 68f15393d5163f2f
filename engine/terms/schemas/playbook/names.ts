import { Type } from 'typebox';
import { list, name, type About } from '../shared.js';

/** Of a play, a block or a step: paths are made of them. */
export const title = (about: About) => Type.String({ ...about, minLength: 1, pattern: '^[^/@]+$' });

/** The `id` of a step. */
export const stepId = (about: About) => Type.String({ ...about, pattern: '^[a-z][a-z0-9_]*$' });

export const tags = list(name({ description: 'A tag.', examples: ['agents'] }), {
  description: 'Tags to select by.',
  uniqueItems: true,
  examples: [['agents']],
});
