import { agents } from './agents/module.js';
import { clusterLimits } from './cluster-limits/module.js';
import { dashboardApi } from './dashboard-api/module.js';
import { emptyIndices } from './empty-indices/module.js';
import { indexAliases } from './index-aliases/module.js';
import { indexVersions } from './index-versions/module.js';
import { logShipper } from './log-shipper/module.js';
import { mlCommons } from './ml-commons/module.js';
import { plugins } from './plugins/module.js';
import { savedObjects } from './saved-objects/module.js';
import { securityBackup } from './security-backup/module.js';
import { servicePlugin } from './service-plugin/module.js';
import { shardCopies } from './shard-copies/module.js';
import { snapshot } from './snapshot/module.js';
import { unassignedShards } from './unassigned-shards/module.js';

/** What a step can name beside the general modules, one line each. */
export const modules: readonly unknown[] = [
  agents,
  clusterLimits,
  dashboardApi,
  emptyIndices,
  indexAliases,
  indexVersions,
  logShipper,
  mlCommons,
  plugins,
  savedObjects,
  securityBackup,
  servicePlugin,
  shardCopies,
  snapshot,
  unassignedShards,
];
