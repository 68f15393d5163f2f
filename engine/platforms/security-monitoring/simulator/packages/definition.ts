import type { PlatformState } from '../state.js';
import type { PlatformNames } from '../names.js';
import { agentPackage } from './agent.js';
import { dashboardPackage } from './dashboard.js';
import type { PackageDefinition } from '../../../../simulator/packages/definition.js';
import { indexerPackage } from './indexer.js';
import { managerPackage } from './manager.js';
import { shipperPackage } from './shipper.js';

/** The same of a state. */
export const packageOf = ({ names }: PlatformState, name: string, version: string): PackageDefinition | undefined =>
  packageDefinition(names, name, version);

/** The package of that name in a version; undefined when the platform has none of that name. */
export function packageDefinition(names: PlatformNames, name: string, version: string): PackageDefinition | undefined {
  if (name === names.indexer.package) return indexerPackage(names, version);
  if (name === names.manager.package) return managerPackage(names, version);
  if (name === names.shipper.package) return shipperPackage(names);
  if (name === names.dashboard.package) return dashboardPackage(names, version);
  if (name === names.agent.package) return agentPackage(names, version);
  return undefined;
}
