import type { Project } from '../../engine/language/project.js';
import { createPlatformState, type ModelSeed } from '../../engine/platforms/security-monitoring/simulator/create.js';
import type { PlatformState } from '../../engine/platforms/security-monitoring/simulator/state.js';
import { edit, hostOf } from '../playbooks/platform-looks.js';
import { shaped } from '../playbooks/platform-shapes.js';

/** A platform that is upgraded, as its operator had set it up. */
export interface Scenario {
  readonly name: string;
  readonly seed: Partial<ModelSeed>;
  readonly shape?: (project: Project) => Project;
  readonly prepare?: (state: PlatformState) => void;
}

const oneOfEach = shaped({ 'indexer-1': 'indexer', 'server-1': 'server master', 'dashboard-1': 'dashboard' });

/** The shipper's package is the one that the upgrade brings: nothing but the manager's version says that the server is not upgraded. */
const shipperIsCurrent = (state: PlatformState): void => {
  for (const host of Object.values(state.hosts)) {
    const shipper = host.packages[state.names.shipper.package];
    if (shipper !== undefined) shipper.version = '7.10.2-2';
  }
};

const without = (pattern: RegExp) => (state: PlatformState) => {
  const servers = Object.keys(state.hosts).filter((name) => hostOf(state, name).roles.includes('server'));
  edit(state, servers, state.names.manager.config, (text) => text.replace(pattern, ''));
};
const DETECTOR = / {2}<vulnerability-detector>[\s\S]*?<\/vulnerability-detector>\n/;
const LIST = / *<list>etc\/lists\/malicious-ioc-md5<\/list>\n/;

export const SCENARIOS: readonly Scenario[] = [
  { name: 'from 4.7.5', seed: { from: '4.7.5' } },
  { name: 'from 4.12.0', seed: { from: '4.12.0' } },
  { name: 'from 4.7.5 without a detector', seed: { from: '4.7.5' }, prepare: without(DETECTOR) },
  { name: 'from 4.13.1 with a list removed', seed: { from: '4.13.1' }, prepare: without(LIST) },
  { name: 'one of each from 4.7.5', seed: { from: '4.7.5' }, shape: oneOfEach, prepare: shipperIsCurrent },
  { name: 'one of each from 4.12.0', seed: { from: '4.12.0' }, shape: oneOfEach, prepare: shipperIsCurrent },
];

export function platformOf(shipped: Project, scenario: Scenario): { project: Project; state: PlatformState } {
  const project = scenario.shape?.(shipped) ?? shipped;
  const state = createPlatformState({ from: '4.12.0', inventory: project.inventory, ...scenario.seed });
  scenario.prepare?.(state);
  return { project, state };
}
