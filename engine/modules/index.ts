import type { AnyModule } from '../terms/module.js';
import { agents } from './agents.js';
import { assert } from './assert.js';
import { command } from './command.js';
import { confirm } from './confirm.js';
import { http } from './http.js';
import { packageModule } from './package.js';
import { record } from './record.js';
import { systemctl } from './systemctl.js';
import { wait } from './wait.js';

/** All that can be wanted, one line each. A module's argument types are forgotten here: its schema has checked them. */
const all: readonly unknown[] = [
  agents,
  assert,
  command,
  confirm,
  http,
  packageModule,
  record,
  systemctl,
  wait,
];

/** Modules by the key under which a step writes them. */
export const modules: ReadonlyMap<string, AnyModule> = new Map((all as readonly AnyModule[]).map((m) => [m.name, m]));
