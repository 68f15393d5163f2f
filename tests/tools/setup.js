// What `npm test` and `npm run demo` need: the packages of package-lock.json. Nothing else, and no root. With `--native` also the parts
// that ssh2 has compiled where there is a compiler, and does without where there is none: the bench and the real hosts want them.
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
  // No package needs its scripts here: all they do is compile ssh2's native parts, which takes as long as the rest together.
  const flags = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'];
  const done = spawnSync('npm', ['install', ...flags], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (done.status !== 0) process.exit(done.status ?? 1);
}
if (process.argv.includes('--native') && !existsSync('node_modules/ssh2/lib/protocol/crypto/build'))
  spawnSync('npm', ['rebuild', 'cpu-features', 'ssh2'], { stdio: 'ignore' });
