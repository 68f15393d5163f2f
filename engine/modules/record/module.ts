import { ok } from '../../terms/change.js';
import { defineModule } from '../../terms/module.js';
import type { Args } from './schema.js';

export const record = defineModule<Args>()({
  name: 'record',
  onlyLooks: true,
  needs: () => ({}),
  touches: () => [],
  decide: ({ values }) => ok(`recorded ${Object.keys(values).join(', ')}`, values),
});
