import { spawn } from 'node:child_process';
import { copyFile, link, mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { cached } from './cache.js';
import { caFile, certsDir } from '../certificates.js';
import { pause } from '../hosts.js';
import { attempt, run } from '../shell.js';
import { inRun, ownedOf, type Owned } from '../state.js';
import { gateway, packagePort, packageUrl } from '../topology.js';

/** Who signs the lab's packages. */
export const signer = 'Platform lab packages';

/** What the download server serves and where it writes down who asked; read by `download-server.ts`. */
export interface ServerSettings {
  address: string;
  port: number;
  certificate: string;
  key: string;
  /** Trees laid over one another; the first that has a path serves it. */
  trees: readonly string[];
  /** One JSON object a line: `{at, from, method, path, status, bytes}`; bytes count headers too. */
  requestLog: string;
  /** Optional file, read at every request: `{"/path": {"status": 404, "body": "…"}}` answers so instead. */
  overrides: string;
}

export const requestLog = (): string => inRun('requests.log');
export const overridesFile = (): string => inRun('overrides.json');

/** Lays out a signed apt repository holding the packages in all their versions; answers the tree under {package_url}. */
export async function buildRepository(debs: readonly string[]): Promise<string> {
  const keyring = await signingKey();
  return cached('repository', [debs, keyring, 3], async (draft) => {
    const apt = join(draft, '4.x/apt');
    const index = join(apt, 'dists/stable/main/binary-amd64');
    await mkdir(join(apt, 'pool/main'), { recursive: true });
    await mkdir(index, { recursive: true });
    for (const deb of debs) {
      const place = join(apt, 'pool/main', basename(deb));
      await link(deb, place).catch(() => copyFile(deb, place));
    }
    const packages = await run('apt-ftparchive', ['packages', 'pool/main'], { cwd: apt });
    await writeFile(join(index, 'Packages'), packages);
    const fields = {
      Origin: 'platform',
      Label: 'platform',
      Suite: 'stable',
      Codename: 'stable',
      Architectures: 'amd64',
      Components: 'main',
    };
    const options = Object.entries(fields).flatMap(([key, value]) => [
      '-o',
      `APT::FTPArchive::Release::${key}=${value}`,
    ]);
    const release = await run('apt-ftparchive', [...options, 'release', 'dists/stable'], { cwd: apt });
    await writeFile(join(apt, 'dists/stable/Release'), release);
    await sign(keyring, join(apt, 'dists/stable'));
    await copyFile(join(keyring, 'public.gpg'), join(draft, '4.x/platform.gpg'));
  });
}

/** The public half of the key that signs the repository, as apt's `signed-by` takes it. */
export async function signingKeyFile(): Promise<string> {
  return join(await signingKey(), 'public.gpg');
}

/** The line of a sources list that names the lab's repository. */
export const sourceLine = `deb [signed-by=/usr/share/keyrings/platform.gpg] ${packageUrl}/4.x/apt/ stable main`;

/** Starts the download server on the bridge; answers its process once it serves. */
export async function startServer(trees: readonly string[]): Promise<Owned> {
  const settings: ServerSettings = {
    address: gateway,
    port: packagePort,
    certificate: join(certsDir(), 'packages.pem'),
    key: join(certsDir(), 'packages-key.pem'),
    trees,
    requestLog: requestLog(),
    overrides: overridesFile(),
  };
  await writeFile(inRun('server.json'), JSON.stringify(settings, null, 2), { mode: 0o600 });
  const log = await open(inRun('server.log'), 'a', 0o600);
  const program = [join(import.meta.dirname, '../download-server.ts'), inRun('server.json')];
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), ...program], {
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  });
  child.unref();
  await log.close();
  if (child.pid === undefined) throw new Error('the download server did not start');
  const owned = ownedOf(child.pid);
  await serving();
  return owned;
}

async function serving(): Promise<void> {
  for (let round = 0; round < 100; round += 1) {
    const { exit } = await attempt('curl', [
      '-sf',
      '--cacert',
      caFile(),
      '-o',
      '/dev/null',
      `${packageUrl}/4.x/platform.gpg`,
    ]);
    if (exit === 0) return;
    await pause(100);
  }
  throw new Error(`the download server does not answer\n${await readFile(inRun('server.log'), 'utf8')}`);
}

/** The home of gpg with the key that signs the packages. */
export function signingKey(): Promise<string> {
  return cached('signing-key', [signer], async (home) => {
    await run('chmod', ['700', home]);
    const gpg = gpgIn(home);
    await gpg('--passphrase', '', '--quick-generate-key', signer, 'rsa3072', 'sign', 'never');
    await gpg('--output', join(home, 'public.gpg'), '--export', signer);
    await stopAgent(home);
  });
}

async function sign(home: string, dir: string): Promise<void> {
  const gpg = gpgIn(home);
  await gpg('--output', join(dir, 'InRelease'), '--clearsign', join(dir, 'Release'));
  await gpg('--output', join(dir, 'Release.gpg'), '--armor', '--detach-sign', join(dir, 'Release'));
  await stopAgent(home);
}

/** gpg refuses to work for a home that others can read, but does: only warnings. */
const gpgIn =
  (home: string) =>
  (...args: string[]): Promise<string> =>
    run('gpg', ['--homedir', home, '--batch', '--yes', '--quiet', '--no-permission-warning', ...args]);

/** gpg leaves an agent behind for each home; the lab leaves nothing. */
export async function stopAgent(home: string): Promise<void> {
  await attempt('gpgconf', ['--homedir', home, '--kill', 'all']);
}
