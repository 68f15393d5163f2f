import { compareRpm } from '../../lib/version-rpm.js';
import { askRepository } from '../repository.js';
import { position } from '../faults.js';
import { freeBytes, putFile, textAt } from '../files.js';
import type { HostState, SimulatedState } from '../state.js';
import { done, fails } from './call.js';
import type { Call, Ended } from '../rules.js';
import { finish, place } from './dpkg.js';
import { stage, stagedAt } from './staged.js';

/** `dnf` and `yum`: install, downgrade and reinstall one version, the index, and the version lock; with the messages and statuses of the real one. */
export function dnf(call: Call): Ended {
  const words = call.args.filter((a) => !a.startsWith('-'));
  const [verb = '', ...rest] = words;
  switch (verb) {
    case 'makecache':
      return makeCache(call);
    case 'clean':
      return done('Cache was expired\n0 files removed\n', 200);
    case 'install':
    case 'downgrade':
    case 'reinstall':
      return underLock(call, () => transact(call, verb, rest[0] ?? ''));
    case 'versionlock':
      if (call.host.canLock === false)
        return fails(1, 'No such command: versionlock. Please use /usr/bin/dnf --help\n');
      return versionLock(call, rest);
    default:
      return fails(1, `No such command: ${verb}. Please use /usr/bin/dnf --help\n`);
  }
}

/** The yum of hosts that have no dnf: it lacks some of dnf's options. */
export const yum = (call: Call): Ended =>
  call.args.includes('--refresh') ? fails(1, '\nCommand line error: no such option: --refresh\n') : dnf(call);

/** `rpm -q NAME`, and `rpm -q --qf … -f PATH…`: all files of the packages whose the paths are. */
export function rpm({ host, args }: Call): Ended {
  if (args.includes('--checksig')) return checkSignature(host, args.at(-1) ?? '');
  if (args.includes('-f')) return owners(host, args.slice(args.indexOf('-f') + 1));
  const name = args.findLast((a) => !a.startsWith('-')) ?? '';
  const entry = host.packages[name];
  return entry === undefined
    ? { ...fails(1, ''), stdout: `package ${name} is not installed\n` }
    : done(`${name}-${entry.version}.x86_64\n`);
}

function checkSignature(host: HostState, path: string): Ended {
  if (host.files[path] === undefined) return fails(1, `error: cannot open ${path}: No such file or directory\n`);
  if (host.signatures === 'no key') return { ...fails(1, ''), stdout: `${path}: digests SIGNATURES NOT OK\n` };
  return done(`${path}: digests${host.signatures === 'none' ? '' : ' signatures'} OK\n`);
}

function owners(host: HostState, paths: readonly string[]): Ended {
  const lists = Object.values(host.packages).map((p) => [...p.files, ...Object.keys(p.conffiles)]);
  const found = paths.map((path) => lists.find((files) => files.includes(path)));
  const lines = found.flatMap((files, i) => files ?? [`file ${paths[i] ?? ''} is not owned by any package`]);
  return { ...fails(found.includes(undefined) ? 1 : 0, ''), stdout: lines.map((line) => `${line}\n`).join('') };
}

/** Is the repository's `enabled` 1, as it is where that is left out? */
const isEnabled = (state: SimulatedState, host: HostState): boolean => {
  const sections = (textAt(host, state.repositoryFile.rpm) ?? '').split(/^(?=\[)/m);
  const own = sections.find((section) => section.includes(`${state.packageUrl}/`));
  return own !== undefined && !/^enabled[ \t]*=[ \t]*0/m.test(own);
};

/** Versions of a package to be had by what dnf last learnt, newest first; a disabled repository offers nothing. */
export const offeredRpms = (state: SimulatedState, host: HostState, name: string): readonly string[] =>
  isEnabled(state, host) ? [...(host.packageIndex[name] ?? [])].sort((a, b) => compareRpm(b, a)) : [];

function makeCache({ state, host }: Call): Ended {
  if (!isEnabled(state, host)) return done('There are no enabled repositories in "/etc/yum.repos.d".\n', 500);
  const broken = askRepository(state, 'yum', 'repodata/repomd.xml');
  if (broken !== undefined)
    return fails(
      1,
      `Error: Failed to download metadata for repo 'platform': Cannot download repomd.xml: Status code: ${broken.status}\n`,
      1_500,
    );
  host.packageIndex = structuredClone(state.repository);
  return done('platform                       58 kB/s |  17 kB     00:00\nMetadata cache created.\n', 2_500);
}

/** dnf waits for its lock by itself, without end. */
function underLock({ state, host }: Call, then: () => Ended): Ended {
  const waitsMs = Math.max(0, host.lockedUntilMs - state.nowMs);
  const ended = then();
  return { ...ended, tookMs: ended.tookMs + waitsMs };
}

function transact(call: Call, verb: 'install' | 'downgrade' | 'reinstall', spec: string): Ended {
  const { state, rules, host } = call;
  const staged = stagedAt(host, spec);
  const [, name = '', version = ''] =
    staged === undefined ? (/^(.*?)-(\d[^-]*-[^-]+)$/.exec(spec) ?? []) : ['', staged.name, staged.version];
  if (call.args.includes('--downloadonly')) return download(call, spec, { name, version });
  const now = host.packages[name];
  if (verb !== 'reinstall' && now?.version === version && now.status === 'ii')
    return done(`Package ${name}-${version}.x86_64 is already installed.\nNothing to do.\nComplete!\n`, 800);
  if (staged === undefined && !offeredRpms(state, host, name).includes(version))
    return { ...fails(1, `Error: Unable to find a match: ${spec}\n`, 900), stdout: `No match for argument: ${spec}\n` };
  if (now?.held === true && now.version !== version && !call.args.includes('--disableplugin=versionlock'))
    return fails(1, `Error: All matches were filtered out by exclude filtering for argument: ${spec}\n`, 900);
  if (verb === 'install' && now !== undefined && compareRpm(version, now.version) < 0)
    return done(`Package ${name}-${now.version}.x86_64 is already installed.\nNothing to do.\nComplete!\n`, 800);
  const size = rules.packageOf(state, name, version)?.sizeBytes ?? 0;
  const full = position(state, 'disk-full', (f) => f.host === host.name) !== undefined;
  if (full || freeBytes(host) < size)
    return fails(
      1,
      `Error: Transaction test error:\n  installing package ${name}-${version}.x86_64 needs ${Math.ceil(size / 1e6)}MB more space on the / filesystem\n`,
      1_000,
    );
  const broken = staged === undefined ? askRepository(state, 'yum', `${spec}.x86_64.rpm`) : undefined;
  if (broken !== undefined)
    return fails(
      1,
      `Error downloading packages:\n  Status code: ${broken.status} for ${state.packageUrl}${state.repositoryPath}/yum/${spec}.x86_64.rpm\n`,
    );
  const placed = place(call, name, version);
  if (placed.exit !== 0) return placed;
  const finished = finish(call, name, 'beside');
  const tookMs = placed.tookMs + finished.tookMs;
  const ran = `Running transaction\n  Upgrading        : ${spec}.x86_64\n`;
  if (finished.exit === 0) return done(`${ran}Upgraded:\n  ${spec}.x86_64\n\nComplete!\n`, tookMs);
  // A script that fails does not undo the transaction: RPM warns, and calls the package installed.
  const entry = host.packages[name];
  if (entry !== undefined) entry.status = 'ii';
  return done(`${ran}warning: %post(${name}-${version}.x86_64) scriptlet failed, exit status 1\n\nComplete!\n`, tookMs);
}

/** `--downloadonly`: into the cache, and nothing is installed. */
function download(
  { state, host }: Call,
  spec: string,
  wanted: { readonly name: string; readonly version: string },
): Ended {
  if (!offeredRpms(state, host, wanted.name).includes(wanted.version))
    return { ...fails(1, `Error: Unable to find a match: ${spec}\n`, 900), stdout: `No match for argument: ${spec}\n` };
  askRepository(state, 'yum', `${wanted.name}-${wanted.version}.x86_64.rpm`);
  stage(state, host, wanted, 'rpm');
  return done('The downloaded packages were saved in cache until the next successful transaction.\nComplete!\n', 8_000);
}

const LOCKS = '/etc/dnf/plugins/versionlock.list';

/** The list is the truth; that a package is held follows from it. */
function versionLock({ state, host }: Call, [verb = 'list', spec = '']: readonly string[]): Ended {
  const now = textAt(host, LOCKS) ?? '';
  const write = (text: string): void => putFile(host, LOCKS, { text }, state.nowMs);
  if (verb === 'list') return done(now, 400);
  const name = spec.replace(/-\d[^-]*-[^-]+$/, '');
  const entry = host.packages[name];
  if (verb === 'delete') {
    const named = spec === name ? `${name}-0:` : `${name}-0:${spec.slice(name.length + 1)}.*`;
    const lines = now.split('\n').filter((line) => line !== '');
    const gone = lines.filter((line) => line.startsWith(named));
    const others = lines.filter((line) => !line.startsWith(named));
    write(others.map((line) => `${line}\n`).join(''));
    if (entry !== undefined) entry.held = others.some((line) => line.startsWith(`${name}-0:`));
    return done(gone.map((line) => `Deleting versionlock for: ${line}\n`).join(''), 700);
  }
  if (verb !== 'add') return fails(1, `Error: No such subcommand: ${verb}\n`);
  if (entry === undefined) return done(`No package found for: ${spec}\n`, 700);
  const line = `${name}-0:${entry.version}.*`;
  if (now.includes(line)) return done(`Package already locked in equivalent form: ${line}\n`, 700);
  write(`${now}${line}\n`);
  entry.held = true;
  return done(`Adding versionlock on: ${line}\n`, 700);
}
