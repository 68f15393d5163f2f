import { access } from './access/module.js';
import { archive } from './archive/module.js';
import { backup } from './backup/module.js';
import { certificate } from './certificate/module.js';
import { check } from './check/module.js';
import { clock } from './clock/module.js';
import { command } from './command/module.js';
import { confirm } from './confirm/module.js';
import { diskSpace } from './disk-space/module.js';
import { download } from './download/module.js';
import { fileEdit } from './file-edit/module.js';
import { fileModule } from './file/module.js';
import { http } from './http/module.js';
import { jsonCompare } from './json-compare/module.js';
import { packageHold } from './package-hold/module.js';
import { packageIndex } from './package-index/module.js';
import { packageModule } from './package/module.js';
import { packageRepository } from './package-repository/module.js';
import { pendingTask } from './pending-task/module.js';
import { record } from './record/module.js';
import { restore } from './restore/module.js';
import { systemctl } from './systemctl/module.js';
import { treeCompare } from './tree-compare/module.js';
import { waitFor } from './wait_for/module.js';
import { warn } from './warn/module.js';
import { xmlMerge } from './xml-merge/module.js';
import { yamlMerge } from './yaml-merge/module.js';

/** What a step can name on any platform, one line each. */
export const modules: readonly unknown[] = [
  access,
  archive,
  backup,
  certificate,
  check,
  clock,
  command,
  confirm,
  diskSpace,
  download,
  fileEdit,
  fileModule,
  http,
  jsonCompare,
  packageHold,
  packageIndex,
  packageModule,
  packageRepository,
  pendingTask,
  record,
  restore,
  systemctl,
  treeCompare,
  waitFor,
  warn,
  xmlMerge,
  yamlMerge,
];
