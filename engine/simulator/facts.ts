import { answer, unreadable } from '../facts/answer.js';
import type { FileContent, FileState, FileTree } from '../facts/file.js';
import type { ArchiveListing, DiskState, PortState, ProbeAnswer, ProbeQuestion, SystemState } from '../facts/host.js';
import type { PackageTaste } from '../facts/offline-packages.js';
import { noManager, type PackageState } from '../facts/package.js';
import type { PackageManager } from '../facts/package-family.js';
import type { ArchivedQuestion, PackageArchived, PackageSource } from '../facts/package-archived.js';
import type { StagedQuestion, StagedVersions } from '../facts/package-staged.js';
import { askRepository } from './repository.js';
import type { OffersQuestion } from '../facts/package-offers.js';
import type { PackageVersions } from '../facts/package-versions.js';
import type { ServiceState } from '../facts/service.js';
import { unpackArchive } from './archive.js';
import { position } from './faults.js';
import { below, bytesOf, entryAt, freeBytes, hashOf } from './files.js';
import { resolveLink } from './links.js';
import { offered } from './programs/apt.js';
import { archivedFile, stagedFile, stagedOf } from './programs/staged.js';
import { offeredRpms } from './programs/rpm.js';
import { runProgram } from './programs/run.js';
import type { Simulation } from './rules.js';
import type { HostState } from './state.js';
import { unitName } from './units.js';
import type { Answer } from '../terms/fact.js';
import { modelBrings, modelLacks } from './package-facts.js';
import { modelCertificateFile, modelPublicKey, modelReadable } from './certificates.js';

type Answers = (simulation: Simulation, host: HostState, key: string) => Answer;

/** Answers a fact of a model host by its name and key, as the real host would be read. */
export function askModelHost(simulation: Simulation, host: HostState, fact: string, key: string): Answer {
  const own = simulation.rules.fact?.(simulation.state, host, fact, key);
  if (own !== undefined) return own;
  const answers = ANSWERS[fact];
  return answers === undefined ? unreadable(`the model cannot tell "${fact}"`) : answers(simulation, host, key);
}

/** What the repository would offer by itself; another address answers nothing. */
function offersOf({ state }: Simulation, host: HostState, key: string): Answer {
  const { name, file: path, text } = JSON.parse(key) as OffersQuestion;
  const isDeb = host.family === 'deb';
  const isOurs = text.includes(`${state.packageUrl}/`);
  if (!isOurs || askRepository(state, isDeb ? 'apt' : 'yum', isDeb ? 'dists/stable/InRelease' : 'repodata/repomd.xml'))
    return unreadable(`what the repository in ${path} offers could not be read: it does not answer`);
  return answer<PackageVersions>(state.repository[name] ?? []);
}

const ANSWERS: Readonly<Record<string, Answers>> = {
  file: (_, host, path) => answer<FileState>(fileState(host, trimmed(path))),
  content: contentOf,
  'large-content': contentOf,
  tree: (_, host, path) => answer<FileTree>(treeOf(host, trimmed(path))),
  package: (_, host, name) => (host.bare === true ? noManager : answer<PackageState>(packageState(host, name))),
  'package-manager': (_, host) => (host.bare === true ? noManager : answer<PackageManager>(managerOf(host))),
  'package-versions': ({ state }, host, name) =>
    answer<PackageVersions>((host.family === 'deb' ? offered : offeredRpms)(state, host, name)),
  'package-offers': offersOf,
  'package-staged': (_, host, key) => answer<boolean>(stagedFile(host, JSON.parse(key) as StagedQuestion) !== null),
  'package-file': (_, host, key) => answer<string | null>(stagedFile(host, JSON.parse(key) as StagedQuestion)),
  'package-archived': (_, host, key) => {
    const put = archivedFile(host, JSON.parse(key) as ArchivedQuestion);
    return answer<PackageArchived>(put === undefined ? 'none' : put.isWhole ? 'whole' : 'damaged');
  },
  'package-archived-file': (_, host, key) => {
    const put = archivedFile(host, JSON.parse(key) as ArchivedQuestion);
    return answer<string | null>(put?.isWhole === true ? put.path : null);
  },
  'package-source': (_, host, key) => {
    const path = stagedFile(host, JSON.parse(key) as StagedQuestion);
    const entry = path === null ? undefined : entryAt(host, path);
    return answer<PackageSource>(path === null || entry === undefined ? null : { path, sha256: hashOf(entry) });
  },
  'package-taste': (_, host) =>
    answer<PackageTaste>({
      architecture: host.family === 'deb' ? 'amd64' : 'x86_64',
      checksSignatures: host.signatures !== undefined,
    }),
  'package-lock': (_, host) => answer<boolean>(host.canLock !== false),
  'package-staged-versions': (_, host, name) => answer<StagedVersions>(stagedOf(host, name)),
  'package-brings': modelBrings,
  'package-lacks': modelLacks,
  service: (_, host, unit) => answer<ServiceState>(serviceState(host, unitName(unit))),
  systemd: () => answer<boolean>(true),
  disk: ({ state }, host, path) => {
    const full = position(state, 'disk-full', (f) => f.host === host.name) !== undefined;
    const disk = host.mounted?.[path] ?? host.disk;
    return answer<DiskState>({ freeBytes: full ? 0 : freeBytes({ disk }), totalBytes: disk.totalBytes });
  },
  port: ({ state, rules }, host, number) =>
    answer<PortState>({ open: rules.listens?.(state, host, Number(number)) ?? number === '22' }),
  system: ({ state }, host) =>
    answer<SystemState>({
      hostname: host.name,
      bootId: host.bootId,
      os: 'debian',
      osVersion: '12',
      dialect: 'sh',
      timeMs: state.nowMs + (host.clockSkewMs ?? 0),
    }),
  probe: (simulation, host, key) => {
    const { argv, errors } = JSON.parse(key) as ProbeQuestion;
    const { exit, stdout, stderr } = runProgram(simulation, host, argv);
    return answer<ProbeAnswer>({ exit, stdout, ...(errors === true ? { stderr } : {}) });
  },
  archive: (_, host, path) => archiveOf(host, path),
  certificate: (_, host, path) => modelCertificateFile(host, path),
  'public-key': (_, host, path) => modelPublicKey(host, path),
  readable: (_, host, key) => modelReadable(host, key),
};

function fileState(host: HostState, path: string): FileState {
  const entry = entryAt(host, path);
  if (entry === undefined) return { exists: false };
  return {
    exists: true,
    type: entry.type,
    owner: entry.owner,
    group: entry.group,
    mode: entry.mode,
    sizeBytes: entry.type === 'directory' ? 4096 : bytesOf(entry).length,
    ...(entry.type === 'file' ? { sha256: hashOf(entry) } : {}),
    ...(entry.type === 'link' ? { target: entry.text } : {}),
    changedAtMs: entry.changedAtMs,
  };
}

function contentOf(_: Simulation, host: HostState, path: string): Answer {
  const entry = entryAt(host, resolveLink(host, path));
  if (entry === undefined) return answer<FileContent>(null);
  if (entry.type !== 'file') return unreadable(`${path} is a directory, not a file`);
  return answer<FileContent>({ text: entry.text, encoding: entry.encoding, sha256: hashOf(entry) });
}

function treeOf(host: HostState, path: string): FileTree {
  const entry = entryAt(host, path);
  if (entry === undefined) return null;
  const paths = entry.type === 'directory' ? below(host, path) : [path];
  const rows = paths.flatMap((each) => {
    const at = entryAt(host, each);
    if (at === undefined) return [];
    const { type, mode, owner, group } = at;
    const name = each === path ? '.' : each.slice(path === '/' ? 1 : path.length + 1);
    return [
      {
        path: name,
        type,
        mode,
        owner,
        group,
        ...(type === 'file' ? { sha256: hashOf(at) } : {}),
        ...(type === 'link' ? { target: at.text } : {}),
      },
    ];
  });
  return rows.sort((a, b) => (a.path < b.path ? -1 : 1));
}

const managerOf = ({ family }: HostState): PackageManager => (family === 'deb' ? 'apt' : 'dnf');

function packageState(host: HostState, name: string): PackageState {
  const manager = managerOf(host);
  const entry = host.packages[name];
  if (entry === undefined || entry.status === 'rc') {
    return {
      manager,
      installed: null,
      status: entry === undefined ? 'un' : 'rc',
      held: false,
      changedAtMs: null,
    };
  }
  const { version: installed, held, changedAtMs } = entry;
  if (manager === 'dnf')
    // Half-done as rpm has it: two versions at once. It keeps whole seconds.
    return {
      manager,
      installed,
      status: entry.status === 'iU' ? 'iH' : 'ii',
      held,
      changedAtMs: wholeSeconds(changedAtMs),
    };
  return { manager, installed, status: `${held ? 'h' : 'i'}${entry.status.slice(1)}`, held, changedAtMs };
}

const wholeSeconds = (ms: number): number => Math.floor(ms / 1_000) * 1_000;

function serviceState(host: HostState, unit: string): ServiceState {
  const entry = host.services[unit];
  if (entry === undefined)
    return {
      load: 'not-found',
      active: 'inactive',
      sub: 'dead',
      enabled: '',
      processes: 0,
      startedAtMs: null,
      needsReload: false,
    };
  const { active, processes, startedAtMs, needsReload } = entry;
  const sub =
    active === 'active'
      ? processes > 0
        ? 'running'
        : 'exited'
      : active === 'activating'
        ? 'start'
        : active === 'failed'
          ? 'failed'
          : 'dead';
  return {
    load: 'loaded',
    active,
    sub,
    enabled: entry.enabled ? 'enabled' : 'disabled',
    processes,
    startedAtMs,
    needsReload,
  };
}

function archiveOf(host: HostState, path: string): Answer {
  const entry = host.files[path];
  if (entry === undefined) return answer<ArchiveListing>(null);
  const members = unpackArchive(bytesOf(entry));
  if (members === undefined) return unreadable(`${path} is no archive that tar reads: not in gzip format`);
  return answer<ArchiveListing>(
    members.map((m) => ({ path: m.path, type: m.type, ...(m.target === undefined ? {} : { target: m.target }) })),
  );
}

const trimmed = (path: string): string => path.replace(/(?<=.)\/+$/, '');
