import { join } from 'node:path';
import { load } from '../../engine/language/load.js';
import { serveModel } from '../../engine/machines/model-process.js';
import { createPlatformState } from '../../engine/model/create.js';
import type { Fault } from '../../engine/model/state.js';
import { MODEL_SECRETS, type Desk } from './desk.js';

/** The demo's platform behind a socket of this desk, as it was broken. */
export async function brokenPlatform(desk: Desk, faults: readonly Fault[], from = '4.12.0') {
  const root = join(import.meta.dirname, '../..');
  const loaded = await load({
    playbook: 'diagnose.yaml',
    inventory: [desk.path('inventory.yaml')],
    cwd: root,
    env: MODEL_SECRETS,
    shippedDir: join(root, 'playbooks'),
  });
  if (!loaded.ok) throw new Error('the inventory does not load');
  const state = createPlatformState({ from, inventory: loaded.value.inventory });
  state.faults.push(...faults);
  return { state, served: await serveModel(state, desk.path('model.sock')) };
}
