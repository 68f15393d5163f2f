import type { ServeSimulatorRequest, Simulator } from '../../machines/simulator.js';
import { faultNames } from '../../simulator/fault-names.js';
import { isRelease } from '../../lib/version.js';
import { dataMistakes } from '../../language/schema/data-mistakes.js';
import { model as checkModel } from '../../language/validators.generated.js';
import { contradictions } from '../../simulator/data.js';
import { serveData } from '../../simulator/serve-data.js';
import type { Fault } from '../../simulator/state.js';
import type { Inventory } from '../../terms/inventory.js';
import { isObject, type Json } from '../../terms/json.js';
import type { Data } from '../../terms/schemas/model/schema.js';
import { didYouMean } from '../options/did-you-mean.js';
import { EXIT, invalid, refusal } from '../options/exit.js';
import { extraVarsOf } from '../options/extra-vars.js';
import { parseFlags } from '../options/flags.js';
import { platform } from '../platforms.js';
import { endpointPasswords } from '../model-passwords.js';
import { loadProject } from '../options/project.js';

/**
 * `runbook model PLAYBOOK [-e from=RELEASE] [-e '{"faults": […]}'] [-e @FILE]`: serves the embedded platform, or the hosts that FILE describes (`simulate`), for an inventory whose `model.socket` says where, until it is
 * ended. It is the whole platform in memory, for trying playbooks out; it survives the controllers that use it.
 */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags('model', argv);
  const given = await extraVarsOf(flags.extraVars);
  const { from: asked, faults = [], simulate, ...others } = given;
  const [other] = Object.keys(others);
  if (other !== undefined) throw invalid(`model takes -e from=RELEASE, faults and simulate, not "${other}"`);
  if (!Array.isArray(faults) || !faults.every((one: Json) => isObject(one) && typeof one['fault'] === 'string'))
    throw invalid(`-e takes faults as a list, such as '{"faults": [{"fault": "unreachable", "host": "web-1"}]}'`);
  const project = await loadProject({ ...flags, extraVars: [] });
  const simulator = await platform.simulator();
  const unknown = unknownFault(faults, [...faultNames, ...(simulate === undefined ? (simulator.ownFaults ?? []) : [])]);
  if (unknown !== undefined) throw invalid(unknown);
  const from = asked ?? simulator.release;
  if (typeof from !== 'string' || !isRelease(from, project.platform.versionExample))
    throw invalid(`-e from=RELEASE takes a release such as ${simulator.release}`);
  const { model } = project.inventory;
  if (model === undefined || !('socket' in model))
    throw invalid('the inventory has no model; add `model: { socket: PATH }`');
  const mistake = simulate === undefined ? undefined : await mistakeIn(simulate, project.inventory);
  if (mistake !== undefined) throw invalid(mistake);
  const described = simulate as Data | undefined;
  const ended = new Promise<void>((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
  const passwords = await endpointPasswords(project.inventory, process.env);
  const request = { inventory: project.inventory, from, faults, socket: model.socket, passwords };
  const served = await serve(simulator, request, described);
  const what = described === undefined ? `the model platform, release ${from},` : 'the model that is described';
  const open = Object.values(project.inventory.endpoints).filter(
    ({ name, password }) => password !== undefined && passwords[name] === undefined,
  );
  const any = open.map(({ name }) => name).join(', ');
  process.stdout.write(
    `${what} listens on ${model.socket}\n${any === '' ? '' : `${any}: any password is taken, because the secret is not set here\n`}`,
  );
  await ended;
  await served.close();
  return EXIT.done;
}

/** The first thing that is wrong with a description. */
async function mistakeIn(simulate: Json, inventory: Inventory): Promise<string | undefined> {
  const [mistake] = await dataMistakes(checkModel, 'model.schema.json', { simulate });
  if (mistake !== undefined) return mistake;
  const [contradiction] = [...contradictions(simulate as Data, inventory)];
  return contradiction === undefined ? undefined : `simulate${contradiction}`;
}

function unknownFault(faults: readonly Json[], known: readonly string[]): string | undefined {
  const names = faults.flatMap((one) => (isObject(one) && typeof one['fault'] === 'string' ? [one['fault']] : []));
  const name = names.find((one) => !known.includes(one));
  if (name === undefined) return undefined;
  return `unknown fault "${name}"${didYouMean(name, known) || ';'} known: ${known.join(', ')}`;
}

async function serve(
  simulator: Simulator,
  request: ServeSimulatorRequest,
  data?: Data,
): Promise<{ close(): Promise<void> }> {
  try {
    if (data !== undefined) return await serveData({ ...request, data, faults: request.faults as readonly Fault[] });
    return await simulator.serve(request);
  } catch (error) {
    const { syscall, code = '' } = error as NodeJS.ErrnoException;
    if (syscall !== 'listen' && syscall !== 'unlink') throw error;
    throw refusal(
      EXIT.refused,
      `the model cannot listen on ${request.socket} (${code})`,
      'its directory must exist and belong to you; the path has at most 100 characters',
    );
  }
}
