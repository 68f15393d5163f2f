import path from 'node:path';
import type { LoadedInventory } from '../inventory/loaded.js';
import { spotIn } from '../inventory/layers.js';
import { displayName, type LoadContext } from '../load-context.js';
import type { Mistakes } from '../mistakes.js';
import { textOf } from '../values.js';

/**
 * Warns about a folder of offline packages without the list of their hashes, where files are read from the disk. This is a warning: a
 * diagnosis does not need the list, nor does a rollback whose packages are on the hosts. A run that needs it checks it before the first change.
 */
export async function checkOfflinePackages(
  context: LoadContext,
  { inventory, parts }: LoadedInventory,
  warnings: Mistakes,
): Promise<void> {
  const folder = textOf(inventory.platform['offline_packages']) ?? '';
  if (!context.files.live || parts.platform === undefined || folder === '' || folder.includes('{{')) return;
  const sums = path.join(folder, 'SHA256SUMS');
  const found = await context.files.read(sums);
  if (found.is === 'text') return;
  const shown = displayName(context.cwd, sums);
  warnings.at(
    spotIn(parts.platform, ['offline_packages']),
    found.is === 'missing' ? `there is no ${shown}` : `${shown} ${found.reason}`,
    {
      hint: 'it is made where the packages come from: sha256sum *.deb *.rpm > SHA256SUMS; a path is seen from this file',
    },
  );
}
