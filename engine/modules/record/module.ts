import { ok } from '../../terms/change.js';
import type { JsonObject } from '../../terms/json.js';
import { defineModule } from '../../terms/module.js';

/** Mirrors schemas/modules/record.schema.json. */
interface Args {
  readonly values: JsonObject;
}

export const record = defineModule<Args>()({
  name: 'record',
  summary: 'Record current values in the run, for later steps (`register`) and for the report.',
  onlyLooks: true,
  needs: () => ({}),
  touches: () => [],
  decide: ({ values }) => ok(`recorded ${Object.keys(values).join(', ')}`, values),
});
