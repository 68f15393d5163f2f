import { rotatedLog } from './facts/rotated-log.js';
import { modules } from './modules/index.js';
import { offers } from './offers.js';
import { ownPermissions } from './own-permissions.js';
import { tokens } from './tokens.js';

/** The security monitoring platform: what the engine must know of it beyond playbooks/platform.yaml. */
export const securityMonitoring = {
  modules,
  hostFacts: [rotatedLog],
  endpointFactNames: offers.endpointFacts,
  /** Loaded with the first request to an endpoint. */
  endpointFacts: async () => (await import('./facts/index.js')).endpointFacts,
  tokens,
  ownPermissions,
  /** Loaded only where an inventory names a model. */
  simulator: () => import('./simulator/index.js'),
};
