import { delimiter } from 'node:path';

export interface InventoryFiles {
  /** As they were written. */
  readonly files: readonly string[];
  readonly from: 'flag' | 'environment' | 'default';
}

/** Which files are the inventory: those named by -i, else RUNBOOK_INVENTORY (several with `:` between), else ./inventory.yaml. */
export function whichFiles(
  named: readonly string[] | undefined,
  env: Readonly<Record<string, string | undefined>>,
): InventoryFiles {
  if (named !== undefined && named.length > 0) return { files: named, from: 'flag' };
  const files = (env['RUNBOOK_INVENTORY'] ?? '').split(delimiter).filter((file) => file !== '');
  return files.length > 0 ? { files, from: 'environment' } : { files: ['inventory.yaml'], from: 'default' };
}
