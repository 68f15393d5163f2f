import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Project } from '../../engine/language/project.js';
import { createPlatformState, type ModelSeed } from '../../engine/platforms/security-monitoring/simulator/create.js';
import { textAt, putFile } from '../../engine/simulator/files.js';
import { advance, startService, stopService } from '../../engine/platforms/security-monitoring/simulator/platform.js';
import type { HostState, PlatformState } from '../../engine/platforms/security-monitoring/simulator/state.js';
import { diagnosisOf, type Diagnosis } from '../../engine/report/checks/diagnosis-view.js';
import type { Ran } from '../run/bench-hosts.js';
import { runOn, shippedProject } from './platform-bench.js';

let shipped: Promise<Project> | undefined;

export interface Diagnosed extends Diagnosis {
  readonly ran: Ran;
  readonly state: PlatformState;
  /** `7.yellow host: text`, one for each finding and host. */
  readonly told: readonly string[];
}

/** A broken platform, and what the diagnosis finds of it. It acts on nothing: the state after it is the one before. */
export async function diagnose(
  breakIt: (state: PlatformState) => void = () => undefined,
  seed: Partial<ModelSeed> = {},
  given?: PlatformState,
): Promise<Diagnosed> {
  const project = await (shipped ??= shippedProject('diagnose.yaml'));
  const state = given ?? createPlatformState({ from: '4.14.7', inventory: project.inventory, ...seed });
  breakIt(state);
  const ran = await runOn(project, state, 'plan', { options: { diagnosing: true } });
  const diagnosis = diagnosisOf(ran.recorded);
  const told = diagnosis.conditions.flatMap(({ spec, found }) =>
    found.map(({ found: f, hosts }) => `${spec ?? ''} ${hosts.join(', ')}: ${f.text}`),
  );
  return { ...diagnosis, ran, state, told };
}

export const hostOf = (state: PlatformState, name: string): HostState => {
  const host = state.hosts[name];
  if (host === undefined) throw new Error(`no ${name}`);
  return host;
};

/** Stops a unit and starts it again, as an operator would to see what happens. */
export function restart(state: PlatformState, name: string, unit: string): void {
  stopService(state, hostOf(state, name), unit);
  advance(state, state.nowMs + 1_000);
  startService(state, hostOf(state, name), unit);
  advance(state, state.nowMs + 3_000);
}

/** Alters a file's text where it stands; owner and mode stay. */
export function edit(state: PlatformState, name: string, path: string, change: (text: string) => string): void {
  const host = hostOf(state, name);
  putFile(host, path, { text: change(textAt(host, path) ?? '') }, state.nowMs);
}

/** A certificate that no host of the model's has. */
export const anotherAuthority = (): string =>
  readFileSync(join(import.meta.dirname, '../language/fixtures/root-ca.pem'), 'utf8');
