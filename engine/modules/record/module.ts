import { ok } from '../../terms/change.js';
import type { JsonObject } from '../../terms/json.js';
import { defineModule } from '../../terms/module.js';
import type { Args } from './schema.js';

export const record = defineModule<Args>()({
  name: 'record',
  onlyLooks: true,
  needs: () => ({}),
  touches: () => [],
  decide({ values, measure }) {
    const recorded: JsonObject = values ?? { ...measure };
    return ok(`recorded ${Object.keys(recorded).join(', ')}`, recorded);
  },
});
