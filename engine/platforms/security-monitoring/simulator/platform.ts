import { createModelMachine as createMachine, type ModelMachineOptions } from '../../../simulator/machine.js';
import type { Machine } from '../../../machines/machine.js';
import { serveModel as serve } from '../../../simulator/process.js';
import { runProgram as runOn } from '../../../simulator/programs/run.js';
import type { Simulation } from '../../../simulator/rules.js';
import * as services from '../../../simulator/services.js';
import { createModelPlatform as createModel, type ModelPlatform } from '../../../simulator/simulation.js';
import { advance as advanceTo } from '../../../simulator/time.js';
import { endpointFacts } from '../facts/index.js';
import { tokens } from '../tokens.js';
import { rules } from './rules.js';
import type { HostState, PlatformState } from './state.js';

/** The state with the platform's rules. */
const ruled = (state: PlatformState): Simulation => ({ state, rules });

/** The platform of a state in this process; the state is the caller's, to look at, to break and to clone. */
export const createModelPlatform = (state: PlatformState): ModelPlatform => createModel(ruled(state));

/** The embedded platform behind the doors of a real machine. */
export const createModelMachine = (options: Omit<ModelMachineOptions, 'facts' | 'tokens'>): Machine =>
  createMachine({ ...options, facts: endpointFacts, tokens });

/** Serves a platform on a unix socket. */
export const serveModel = (
  state: PlatformState,
  socketPath: string,
  platform: ModelPlatform = createModelPlatform(state),
): ReturnType<typeof serve> => serve(state, socketPath, platform);

export const startService = (state: PlatformState, host: HostState, unit: string): { ok: boolean; tookMs: number } =>
  services.startService(ruled(state), host, unit);

export const stopService = (state: PlatformState, host: HostState, unit: string): number =>
  services.stopService(ruled(state), host, unit);

export const advance = (state: PlatformState, toMs: number): void => advanceTo(ruled(state), toMs);

export const runProgram = (state: PlatformState, host: HostState, argv: readonly string[]): ReturnType<typeof runOn> =>
  runOn(ruled(state), host, argv);
