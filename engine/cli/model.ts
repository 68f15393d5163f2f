import { serveModel } from '../machines/model-process.js';
import { createPlatformState } from '../model/create.js';
import { invalid } from './exit.js';
import { parseFlags } from './flags.js';
import { loadProject } from './project.js';

const FROM = '4.12.0';

/**
 * `runbook model PLAYBOOK [-e from=4.12.0]`: serves the embedded platform for an inventory whose `model.socket` says where, until it is
 * ended. It is the whole platform in memory, for trying playbooks out; it survives the controllers that use it.
 */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags('model', argv);
  if ('mistake' in flags) return invalid(flags.mistake);
  const from = flags.extraVars.map((v) => /^from=(.+)$/.exec(v)?.[1]).find((v) => v !== undefined) ?? FROM;
  const project = await loadProject({ ...flags, extraVars: [] });
  if (typeof project === 'number') return project;
  const { model } = project.inventory;
  if (model === undefined || !('socket' in model))
    return invalid('the inventory names no model: write `model: { socket: PATH }` in it');
  const served = await serveModel(createPlatformState({ from, inventory: project.inventory }), model.socket);
  process.stdout.write(`the model platform, release ${from}, listens on ${model.socket}\n`);
  await new Promise<void>((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
  await served.close();
  return 0;
}
