import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { inventoryFile } from '../../lab/inventory.js';
import type { ServerSettings } from '../../lab/build/repository.js';
import { inRun } from '../../lab/state.js';

/** Packages as they were carried here: all that the lab's repositories hold, with their SHA256SUMS; answers an inventory that names the folder. */
export function offlineInventory(): string {
  const folder = inRun('offline');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const { trees } = JSON.parse(readFileSync(inRun('server.json'), 'utf8')) as ServerSettings;
  const packages = trees.flatMap((tree) =>
    readdirSync(tree, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:deb|rpm)$/.test(name))
      .map((name) => join(tree, name)),
  );
  const sums = packages.map((file) => {
    copyFileSync(file, join(folder, basename(file)));
    return `${createHash('sha256').update(readFileSync(file)).digest('hex')}  ${basename(file)}\n`;
  });
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
  const inventory = readFileSync(inventoryFile(), 'utf8');
  const file = inRun('inventory-offline.yaml');
  writeFileSync(file, inventory.replace('\nplatform:\n', '\nplatform:\n  offline_packages: offline\n'), {
    mode: 0o600,
  });
  return file;
}
