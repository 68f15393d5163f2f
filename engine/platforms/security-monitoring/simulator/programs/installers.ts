import { posix } from 'node:path';
import { below, bytesOf, copyEntry, hashOf, moveEntry, putFile, textAt } from '../../../../simulator/files.js';
import type { FileEntry, HostState, PlatformState } from '../state.js';
import { done, fails, type Call, type Ended, type Program } from './call.js';
import { ARCHITECTURE, architecture } from '../../../../simulator/programs/small.js';

/** Where the agent is on systems that have no package manager of ours. Paths of Windows as its SFTP server writes them. */
export const WINDOWS_AGENT = '/C:/Program Files (x86)/platform-agent';
export const MACOS_AGENT = '/Library/platform-agent';
/** Windows and macOS: no package manager of ours, and no systemd. */
export const isForeign = ({ roles }: Pick<HostState, 'roles'>): boolean =>
  roles.length > 0 && roles.every((role) => role === 'windows_agent' || role === 'macos_agent');
/** While it is there, Windows wants a restart after an installation. */
export const WINDOWS_BUSY = '/C:/Windows/files-in-use';

/** The little of Windows and macOS that the agents' playbooks ask for (§4.4, §9.7). No real system was compared with it. */
export const installerPrograms: Readonly<Record<string, Program>> = {
  msiexec,
  installer,
  cmd,
  // `icacls DIR /inheritance:r /grant:r *S-1-5-32-544:(OI)(CI)F …`: for administrators alone, which is a mode here
  icacls: ({ host, args: [path = '', ...more] }) => {
    const entry = host.files[unixPath(path)];
    if (entry === undefined) return fails(2, `${path}: The system cannot find the file specified.\n`);
    if (more.join(' ') === '/inheritance:r /grant:r *S-1-5-32-544:(OI)(CI)F *S-1-5-18:(OI)(CI)F') entry.mode = '0700';
    return done(`processed file: ${path}\n`);
  },
  // `robocopy FROM TO FILE` and `robocopy FROM TO /E`: 1 where it copied something, 0 where all was there
  robocopy: ({ state, host, args: [from = '', to = '', what = ''] }) => {
    const end = what === '/E' ? '' : `/${what}`;
    if (host.files[unixPath(from)] === undefined) return fails(16, 'ERROR 2 (0x00000002) Accessing Source Directory\n');
    if (host.files[unixPath(from) + end] === undefined) return done('');
    if (isCopied(host, unixPath(from) + end, unixPath(to) + end)) return done('');
    copyEntry(host, unixPath(from) + end, unixPath(to) + end, state.nowMs);
    return { ...done('', 1_000), exit: 1 };
  },
  // `install -d -m MODE DIR`, `ditto DIR DIR`, `mv FROM TO` of macOS
  install: ({ state, host, args: [, , mode = '', path = ''] }) => {
    putFile(host, path, { type: 'directory', mode }, state.nowMs);
    return done();
  },
  ditto: ({ state, host, args: [from = '', to = ''] }) => {
    if (host.files[from] === undefined) return fails(1, `ditto: Cannot get the real path for source '${from}'\n`);
    copyEntry(host, from, to, state.nowMs);
    return done('', 1_000);
  },
  mv: ({ state, host, args: [from = '', to = ''] }) => moved({ state, host, from, to }),
  // `certutil -hashfile FILE SHA256`
  certutil: ({ host, args }) => {
    const path = args[1] ?? '';
    if (args[2] !== 'SHA256') return fails(1, 'CertUtil: this model knows SHA256 only\n');
    const entry = host.files[unixPath(path)];
    if (entry === undefined) return fails(1, 'ERROR_FILE_NOT_FOUND\n');
    return done(`SHA256 hash of ${path}:\n${hashOf(entry)}\nCertUtil: -hashfile command completed successfully.\n`);
  },
  shasum: ({ host, args }) => {
    if (args[0] !== '-a' || args[1] !== '256') return fails(1, 'shasum: this model knows -a 256 only\n');
    const path = args.at(-1) ?? '';
    const entry = host.files[path];
    return entry === undefined ? fails(1, `shasum: ${path}: No such file\n`) : done(`${hashOf(entry)}  ${path}\n`);
  },
};

/** `cmd /c type FILE`, `dir /b DIR`, `mkdir DIR`, `move FROM TO` */
function cmd({ state, host, args: [flag, verb = '', ...args] }: Call): Ended {
  if (flag !== '/c' || !['mkdir', 'move', 'dir', 'type'].includes(verb))
    return fails(1, `'${verb}' is not recognized as an internal or external command.\n`);
  const paths = args.filter((arg) => !arg.startsWith('/')).map(unixPath);
  const [path = '', to = ''] = paths;
  const entry = host.files[path];
  if (verb === 'mkdir') {
    if (entry !== undefined) return fails(1, `A subdirectory or file ${args[0] ?? ''} already exists.\n`);
    putFile(host, path, { type: 'directory' }, state.nowMs);
    return done();
  }
  if (entry === undefined) return fails(1, 'The system cannot find the file specified.\n');
  if (verb === 'move') return moved({ state, host, from: path, to });
  if (verb !== 'dir') return done(entry.text);
  const names = below(host, path).map((p) => p.slice(path.length + 1));
  return done(names.flatMap((name) => (name.includes('/') ? [] : [`${name}\r\n`])).join(''));
}

type Moving = Pick<Call, 'state' | 'host'> & { readonly from: string; readonly to: string };

function moved({ state, host, from, to }: Moving): Ended {
  if (host.files[from] === undefined) return fails(1, `mv: rename ${from} to ${to}: No such file or directory\n`);
  // Into a directory that is there already, as both systems do.
  moveEntry(host, from, host.files[to] === undefined ? to : `${to}/${posix.basename(from)}`, state.nowMs);
  return done();
}

/** An agent as it was installed there long ago, by hand. */
export function installedAgent(host: HostState, home: string, version: string, atMs: number): void {
  putFile(host, home, { type: 'directory' }, atMs);
  putFile(host, `${home}/VERSION`, { text: `v${version}\n` }, atMs);
  const kept = home === MACOS_AGENT ? `${home}/etc` : home;
  putFile(host, `${kept}/platform.conf`, { text: '<platform_config>\n  <!-- ours -->\n</platform_config>\n' }, atMs);
  putFile(host, `${kept}/client.keys`, { text: '017 pc any 0123456789abcdef\n', mode: '0640' }, atMs);
  putFile(host, `${kept}/shared/agent.conf`, { text: '<agent_config/>\n' }, atMs);
  putFile(host, `${home}/active-response/bin/ours`, { text: 'ours\n', mode: '0750' }, atMs);
  if (home === MACOS_AGENT) {
    putFile(host, ARCHITECTURE, { text: 'arm64\n' }, atMs);
    putFile(host, `${home}/bin/platform-control`, { text: '', mode: '0755' }, atMs);
  }
}

/** `msiexec /i FILE /qn /norestart /l*v LOG`: 3010 is done, and a restart is wanted. The configuration stays. */
function msiexec({ state, host, args }: Call): Ended {
  const file = behind(args, '/i') ?? '';
  const log = behind(args, '/l*v');
  // Without /qn it opens a window and waits; without /norestart it restarts the host.
  if (!args.includes('/qn') || !args.includes('/norestart')) return fails(1639, '');
  const entry = host.files[unixPath(file)];
  if (entry === undefined) return fails(1619, '');
  if (!bytesOf(entry).subarray(0, 4).equals(Buffer.from('d0cf11e0', 'hex'))) return fails(1620, '');
  const { version } = contentsOf(entry);
  setVersion(state, host, WINDOWS_AGENT, version);
  if (log !== undefined) putFile(host, unixPath(log), { text: 'MainEngineThread is returning 0\r\n' }, state.nowMs);
  const busy = host.files[WINDOWS_BUSY] !== undefined;
  return { exit: busy ? 3010 : 0, stdout: '', stderr: '', tookMs: 20_000 };
}

/** `installer -pkg FILE -target /`: a package of another architecture is refused. */
function installer({ state, host, args }: Call): Ended {
  const file = behind(args, '-pkg') ?? '';
  if (behind(args, '-target') !== '/') return fails(1, 'installer: Error - no target specified.\n');
  const entry = host.files[file];
  if (entry === undefined) return fails(1, `installer: Error - the package path specified was invalid: '${file}'.\n`);
  const { version, arch } = contentsOf(entry);
  if (arch !== (architecture(host) === 'arm64' ? 'arm64' : 'intel64'))
    return fails(1, 'installer: Error - this package is not compatible with this computer.\n');
  setVersion(state, host, MACOS_AGENT, version);
  return done('installer: Installing at base path /\ninstaller: The upgrade was successful.\n', 15_000);
}

/** The agent's control tool on macOS: after a restart the process runs what is installed. */
export function macosControl({ state, host, args }: Call): Ended {
  const running = `${MACOS_AGENT}/running`;
  if (args[0] === 'restart')
    putFile(host, running, { text: textAt(host, `${MACOS_AGENT}/VERSION`) ?? '' }, state.nowMs);
  return done(args[0] === 'restart' ? 'Completed.\n' : 'platform-agentd is running...\n', 2_000);
}

function setVersion(state: PlatformState, host: HostState, home: string, version: string): void {
  putFile(host, `${home}/VERSION`, { text: `v${version}\n` }, state.nowMs);
}

/** Is each file below the one path below the other, too? */
const isCopied = (host: HostState, from: string, to: string): boolean =>
  Object.keys(host.files)
    .filter((path) => path === from || path.startsWith(`${from}/`))
    .every((path) => host.files[to + path.slice(from.length)]?.text === host.files[path]?.text);

/** `C:\Windows\Temp` is `/C:/Windows/Temp`. */
const unixPath = (path: string): string => (/^[A-Z]:\\/.test(path) ? `/${path.replaceAll('\\', '/')}` : path);

const behind = (args: readonly string[], flag: string): string | undefined =>
  args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined;

/** What model/downloads.ts puts behind the first bytes. */
function contentsOf(entry: FileEntry): { readonly version: string; readonly arch: string } {
  const [, version = '', arch = ''] = bytesOf(entry).toString('latin1').split(' ');
  return { version, arch };
}
