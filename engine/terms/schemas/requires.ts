import { list, text } from './shared.js';

/** Requirements (docs/language.md): named checks that no option of the command line removes. */
export const requires = (description: string) =>
  list(text({ description: 'A named check.', examples: ['no_manager_above_indexers'] }), {
    description,
    minItems: 1,
    uniqueItems: true,
    examples: [['no_manager_above_indexers']],
  });
