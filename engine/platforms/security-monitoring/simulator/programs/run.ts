import { strike } from '../faults.js';
import type { PlatformNames } from '../names.js';
import type { HostState, PlatformState } from '../state.js';
import { aptCache, aptGet, aptMark } from './apt.js';
import { fails, type Ended, type Program } from './call.js';
import { dnf, rpm, yum } from './rpm.js';
import { dpkg, dpkgQuery } from './dpkg.js';
import { securityInit } from './indexer-tools.js';
import { installerPrograms, isForeign, MACOS_AGENT, macosControl } from './installers.js';
import { agentUpgrade, analysisd, control, keystore } from './manager-tools.js';
import { lookingPrograms } from './looking.js';
import { nodeTool } from './node-tool.js';
import { shipper } from './shipper-tools.js';
import { smallPrograms } from './small.js';
import { systemctl } from './systemctl.js';

export interface Given {
  readonly stdin?: string;
  /** Who runs it; absent: root. */
  readonly user?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly waitedMs?: number;
}

/**
 * Runs a program on a host: its effects are in the state at once, `tookMs` is for the caller to wait. A program of the platform's is
 * there while its file is; an unknown one ends with 127.
 */
export function runProgram(state: PlatformState, host: HostState, argv: readonly string[], given: Given = {}): Ended {
  const [name = '', ...args] = argv;
  if (name === 'env') return runProgram(state, host, args.slice(args.findIndex((a) => !a.includes('='))), given);
  if (name === 'runuser' && args[0] === '-u')
    return runProgram(state, host, args.slice(args[2] === '--' ? 3 : 2), { ...given, user: args[1] ?? 'root' });
  if (name === 'sh' && args[1] === BOTH_OUTPUTS) {
    const ended = runProgram(state, host, args.slice(3), given);
    return { ...ended, stdout: ended.stdout + ended.stderr, stderr: '' };
  }
  const broken = strike(
    state,
    'program',
    (f) => f.host === host.name && (f.program === name || name.endsWith(`/${f.program}`)),
  );
  if (broken !== undefined) return { exit: broken.exit, stdout: broken.stdout, stderr: '', tookMs: 500 };
  const program = find(state.names, host, name);
  if (program === undefined) return fails(127, `${name}: command not found\n`);
  const { stdin = '', user = 'root', env = {}, waitedMs = 0 } = given;
  return program({ state, host, args, stdin, user, env, waitedMs });
}

/** What the playbooks ask a shell for when a tool's errors are its answer. */
const BOTH_OUTPUTS = 'exec "$@" 2>&1';

function find(names: PlatformNames, host: HostState, name: string): Program | undefined {
  const own: Readonly<Record<string, Program>> = {
    [names.indexer.security_init]: securityInit,
    [names.indexer.node_tool]: nodeTool,
    [names.manager.control]: control,
    [names.agent.control]: control,
    [names.manager.keystore]: keystore,
    [names.manager.agent_upgrade]: agentUpgrade,
    [names.manager.analysisd]: analysisd,
    [names.shipper.binary]: shipper,
    [`${MACOS_AGENT}/bin/platform-control`]: macosControl,
  };
  const path = Object.keys(own).find((p) => p === name || p === `/usr/bin/${name}`);
  if (path !== undefined) return host.files[path] === undefined ? undefined : own[path];
  const system = name.replace(/^(?:\/usr)?\/s?bin\//, '');
  if (system === 'systemctl' && isForeign(host)) return undefined;
  return SYSTEM[system] ?? PACKAGE_MANAGERS[host.family][system];
}

const SYSTEM: Readonly<Record<string, Program>> = {
  ...smallPrograms,
  ...lookingPrograms,
  ...installerPrograms,
  systemctl,
};

const PACKAGE_MANAGERS: Readonly<Record<HostState['family'], Readonly<Record<string, Program>>>> = {
  deb: { 'apt-get': aptGet, 'apt-cache': aptCache, 'apt-mark': aptMark, dpkg, 'dpkg-query': dpkgQuery },
  rpm: { dnf, yum, rpm },
};
