import { ok } from '../../terms/change.js';
import { defineModule } from '../../terms/module.js';
import type { Args } from './schema.js';

export const warn = defineModule<Args>()({
  name: 'warn',
  onlyLooks: true,
  shown: ['message', 'hint'],
  needs: () => ({}),
  touches: () => [],
  decide({ message, hint }) {
    return ok('reported', undefined, [hint === undefined ? message : { text: message, hint }]);
  },
});
