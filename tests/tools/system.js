// `npm run test:system`: the same engine on real hosts. Needs root on Debian 12; installs what it needs, and says so. With arguments: Jest with these.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';

if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) {
  console.error('test:system needs root on Debian: it boots real hosts in containers. (npm test needs neither.)');
  process.exit(1);
}
const run = (command, args) => spawnSync(command, args, { stdio: 'inherit' }).status ?? 1;

/** The Debian packages that the hosts of the tests are made from. */
const NEEDED = [
  'openssh-server',
  'openssh-client',
  'openssl',
  'mmdebstrap',
  'systemd-container',
  'iproute2',
  'dpkg-dev',
  'apt-utils',
  'gnupg',
  'unzip',
  // For the tests of packages, which run on this machine in a mount namespace of their own.
  'dnf',
  'dnf-plugins-core',
  'createrepo-c',
  'rpm',
  // Shows the documents as a reader has them.
  'chromium',
  'fonts-dejavu-core',
  // Ends dpkg at a chosen one of its system calls.
  'strace',
];
const missing = NEEDED.filter(
  (name) =>
    spawnSync('dpkg-query', ['-W', '-f', '${db:Status-Abbrev}', name], { encoding: 'utf8' }).stdout.trim() !== 'ii',
);
if (missing.length > 0) {
  console.log(`installing ${missing.join(' ')}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const updated = spawnSync('apt-get', ['update', '-q'], { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
  const installed =
    updated &&
    spawnSync('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...missing], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env,
    }).status === 0;
  if (!installed) process.exit(1);
}
for (const args of [['tests/tools/setup.js', '--native'], ['tests/tools/build.js']])
  if (run('node', args) !== 0) process.exit(1);
if (!existsSync('tests/system') || readdirSync('tests/system').length === 0) {
  console.error('there are no system tests');
  process.exit(1);
}
/** Jest in serial order; its exit code. */
const jest = (args) =>
  new Promise((resolve) => {
    const child = spawn(
      'node',
      [
        ...['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js'],
        ...['--config', 'tests/system/jest.config.js', '--runInBand', ...args],
      ],
      { stdio: 'inherit' },
    );
    child.on('close', (code) => resolve(code ?? 1));
  });

/** All tests: those on the lab, of which there is one, beside those that need none, which mostly wait. */
async function all() {
  const files = readdirSync('tests/system').filter((name) => name.endsWith('.test.ts'));
  const onLab = files.filter((name) => readFileSync(`tests/system/${name}`, 'utf8').includes("'./support/lab.js'"));
  const others = files.filter((name) => !onLab.includes(name));
  const paths = (names) => names.map((name) => `tests/system/${name.replaceAll('.', '\\.')}$`);
  const codes = await Promise.all([jest(paths(onLab)), jest(paths(others))]);
  return Math.max(...codes);
}

const args = process.argv.slice(2);
process.exit(await (args.length === 0 ? all() : jest(args)));
