// Builds dist/: validators compiled ahead from the schemas, then the program. Where nothing changed since the last build, it stands: whatever
// runs the program meanwhile is not disturbed.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from './bundle.js';

const SOURCES = ['engine', 'playbooks', 'schemas', 'tests/tools', 'package.json', 'package-lock.json'];
const stamp = 'dist/.built';

/** Of a folder with all that it holds; a file that was removed shows in its folder. */
const changedMs = (path) => {
  const stat = statSync(path);
  const inside = stat.isDirectory() ? readdirSync(path).map((name) => changedMs(join(path, name))) : [];
  return Math.max(stat.mtimeMs, ...inside);
};
const isFresh = () => existsSync(stamp) && SOURCES.every((path) => changedMs(path) < statSync(stamp).mtimeMs);

if (!isFresh()) {
  const validators = spawnSync(process.execPath, ['tests/tools/validators.js'], { stdio: 'inherit' });
  if (validators.status !== 0) process.exit(validators.status ?? 1);
  rmSync('dist', { recursive: true, force: true });
  await bundle('engine/cli/main.ts', 'dist/cli');
  writeFileSync(stamp, '');
}
