// What `npm test` and `npm run demo` need: the packages of package-lock.json. Nothing else, and no root.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 10)) {
  console.error(`runbook needs Node 20.10 or newer; this is ${process.versions.node}`);
  process.exit(1);
}

const stamp = 'node_modules/.package-lock.json';
const fresh =
  existsSync(stamp) &&
  statSync(stamp).mtimeMs >= statSync('package-lock.json').mtimeMs &&
  readFileSync(stamp).length > 0;
if (!fresh) {
  console.error('Installing the packages of package-lock.json');
  // Not `npm ci`: it refuses a lock file that lacks the optional binaries of other platforms, which not every registry has.
  const done = spawnSync('npm', ['install', '--no-save', '--no-audit', '--no-fund'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (done.status !== 0) process.exit(done.status ?? 1);
}
