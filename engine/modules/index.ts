import type { AnyModule } from '../terms/module.js';
import { agents } from './agents.js';
import { archive } from './archive.js';
import { backup } from './backup.js';
import { certificate } from './certificate.js';
import { check } from './check.js';
import { clock } from './clock.js';
import { clusterLimits } from './cluster-limits.js';
import { command } from './command.js';
import { confirm } from './confirm.js';
import { diskSpace } from './disk-space.js';
import { download } from './download.js';
import { fileEdit } from './file-edit.js';
import { fileModule } from './file.js';
import { http } from './http.js';
import { indexAliases } from './index-aliases.js';
import { indexVersions } from './index-versions.js';
import { jsonCompare } from './json-compare.js';
import { logShipper } from './log-shipper.js';
import { mlCommons } from './ml-commons.js';
import { packageHold } from './package-hold.js';
import { packageIndex } from './package-index.js';
import { packageModule } from './package.js';
import { packageRepository } from './package-repository.js';
import { pendingTask } from './pending-task.js';
import { plugins } from './plugins.js';
import { record } from './record.js';
import { restore } from './restore.js';
import { savedObjects } from './saved-objects.js';
import { shardCopies } from './shard-copies.js';
import { snapshot } from './snapshot.js';
import { systemctl } from './systemctl.js';
import { unassignedShards } from './unassigned-shards.js';
import { waitFor } from './wait-for.js';
import { xmlMerge } from './xml-merge.js';
import { yamlMerge } from './yaml-merge.js';

/** All that can be wanted, one line each. A module's argument types are forgotten here: its schema has checked them. */
const all: readonly unknown[] = [
  agents,
  archive,
  backup,
  certificate,
  check,
  clock,
  clusterLimits,
  command,
  confirm,
  diskSpace,
  download,
  fileEdit,
  fileModule,
  http,
  indexAliases,
  indexVersions,
  jsonCompare,
  logShipper,
  mlCommons,
  packageHold,
  packageIndex,
  packageModule,
  packageRepository,
  pendingTask,
  plugins,
  record,
  restore,
  savedObjects,
  shardCopies,
  snapshot,
  systemctl,
  unassignedShards,
  waitFor,
  xmlMerge,
  yamlMerge,
];

/** Modules by the key under which a step writes them. */
export const modules: ReadonlyMap<string, AnyModule> = new Map((all as readonly AnyModule[]).map((m) => [m.name, m]));
