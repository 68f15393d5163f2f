import { join } from 'node:path';
import { load } from '../../engine/language/load.js';
import { createModelPlatform, serveModel } from '../../engine/platforms/security-monitoring/simulator/platform.js';
import { type SentRequest } from '../../engine/simulator/simulation.js';
import { createPlatformState } from '../../engine/platforms/security-monitoring/simulator/create.js';
import type { Fault } from '../../engine/platforms/security-monitoring/simulator/state.js';
import type { Action } from '../../engine/terms/action.js';
import { MODEL_SECRETS, type Harness } from './cli-harness.js';

/** The demo's platform behind a socket of this harness, as it was broken. */
export async function brokenPlatform(harness: Harness, faults: readonly Fault[], from = '4.12.0') {
  const root = join(import.meta.dirname, '../..');
  const loaded = await load({
    playbook: 'diagnose.yaml',
    inventory: [harness.path('inventory.yaml')],
    cwd: root,
    env: MODEL_SECRETS,
    shippedDir: join(root, 'playbooks'),
  });
  if (!loaded.ok) throw new Error('the inventory does not load');
  const state = createPlatformState({ from, inventory: loaded.value.inventory });
  state.faults.push(...faults);
  const watch: Watch = { onAct: () => undefined };
  const platform = createModelPlatform(state);
  const served = await serveModel(state, harness.path('model.sock'), {
    ...platform,
    perform: (host, action, ...how) => {
      watch.onAct(host, action);
      return platform.perform(host, action, ...how);
    },
    send: (request) => {
      watch.onAct('', request);
      return platform.send(request);
    },
  });
  return { state, served, watch };
}

/** The upgrade of an indexer's package. */
export const UPGRADE_INDEXER = /^(?!.*download).*platform-indexer.4\.14\.7/;

/** What a test does as the platform is about to act. */
interface Watch {
  /** `host` is empty for a request over HTTPS. */
  onAct: (host: string, act: Action | SentRequest) => void;
}

/** A run that is killed with kill -9 as the platform begins the nth act whose text fits, which goes on. The act's host. */
export async function killedAt(
  { start }: Harness,
  watch: Watch,
  args: readonly string[],
  fits: RegExp,
  nth = 1,
): Promise<string> {
  const running = start(args, { env: MODEL_SECRETS });
  let seen = 0;
  let at: string | undefined;
  watch.onAct = (host, act) => {
    if (at !== undefined || !fits.test(JSON.stringify(act)) || (seen += 1) < nth) return;
    at = host;
    running.kill('SIGKILL');
  };
  const { signal } = await running;
  if (at === undefined || signal !== 'SIGKILL')
    throw new Error(`the run was not killed: no act ${nth} fits ${String(fits)}`);
  return at;
}
