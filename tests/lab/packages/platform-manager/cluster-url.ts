import type { ManagerConfig } from './config-check.js';

/** Where a worker reaches its master. */
export function clusterUrl(config: Pick<ManagerConfig, 'masters'>): string {
  return `https://${config.masters[0] ?? '127.0.0.1'}:1516`;
}
