import type { PlatformCode } from '../../../engine/cli/platforms.js';
import { drain } from './modules/drain/module.js';
import * as drainSchema from './modules/drain/schema.js';

/** A second platform: nothing outside this folder knows it. */
export const postgres: PlatformCode = {
  modules: [drain],
  schemas: { drain: drainSchema },
  endpointFactNames: ['balanced-server'],
  endpointFacts: async () => (await import('./facts/index.js')).endpointFacts,
  ownPermissions: [],
  simulator: () => import('./simulator/index.js'),
};
