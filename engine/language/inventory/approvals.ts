import type { LoadContext } from '../load-context.js';
import type { InventoryParts } from './files.js';

/** Approvals of plans are kept in the team's store. */
export function checkApprovals({ mistakes, hasStore }: LoadContext, { approvals }: InventoryParts): void {
  if (approvals === undefined || hasStore !== false) return;
  mistakes.at({ source: approvals.source, path: ['approvals'] }, 'approvals need a store, and none is configured', {
    hint: 'store: nats://… in runbook.config.yaml beside the inventory (docs/teams.md), or remove `approvals`',
  });
}
