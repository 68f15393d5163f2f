import { strike } from '../faults.js';
import type { Simulation } from '../rules.js';
import type { HostState } from '../state.js';
import { aptCache, aptGet, aptMark } from './apt.js';
import { fails } from './call.js';
import type { Ended, Program } from '../rules.js';
import { dpkg, dpkgQuery } from './dpkg.js';
import { lookingPrograms } from './looking.js';
import { dnf, rpm, yum } from './rpm.js';
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
 * Runs a program on a host: its effects are in the state at once, `tookMs` is for the caller to wait. An unknown one ends
 * with 127.
 */
export function runProgram(simulation: Simulation, host: HostState, argv: readonly string[], given: Given = {}): Ended {
  const { state, rules } = simulation;
  const [name = '', ...args] = argv;
  if (name === 'env') return runProgram(...withEnv(simulation, host, args, given));
  if (name === 'runuser' && args[0] === '-u')
    return runProgram(simulation, host, args.slice(args[2] === '--' ? 3 : 2), { ...given, user: args[1] ?? 'root' });
  if (name === 'sh' && args[1] === BOTH_OUTPUTS) {
    const ended = runProgram(simulation, host, args.slice(3), given);
    return { ...ended, stdout: ended.stdout + ended.stderr, stderr: '' };
  }
  const broken = strike(
    state,
    'program',
    (f) => f.host === host.name && (f.program === name || name.endsWith(`/${f.program}`)),
  );
  if (broken !== undefined) return { exit: broken.exit, stdout: broken.stdout, stderr: '', tookMs: 500 };
  const program = find(simulation, host, name);
  if (program === undefined) return fails(127, `${name}: command not found\n`);
  const { stdin = '', user = 'root', env = {}, waitedMs = 0 } = given;
  return program({ state, rules, host, args, stdin, user, env, waitedMs });
}

/** `env NAME=VALUE… PROGRAM ARG…`: what the program is called with, and its environment. */
function withEnv(
  simulation: Simulation,
  host: HostState,
  args: readonly string[],
  given: Given,
): Parameters<typeof runProgram> {
  const first = args.findIndex((arg) => !arg.includes('='));
  const pairs = args.slice(0, first).map((arg) => arg.split(/=(.*)/s).slice(0, 2) as [string, string]);
  return [simulation, host, args.slice(first), { ...given, env: { ...given.env, ...Object.fromEntries(pairs) } }];
}

/** What the playbooks ask a shell for when a tool's errors are its answer. */
const BOTH_OUTPUTS = 'exec "$@" 2>&1';

function find({ state, rules }: Simulation, host: HostState, name: string): Program | undefined {
  const own = rules.program?.(state, host, name);
  if (own !== undefined) return own;
  const system = name.replace(/^(?:\/usr)?\/s?bin\//, '');
  if (system === 'systemctl' && host.bare === true) return undefined;
  return SYSTEM[system] ?? PACKAGE_MANAGERS[host.family][system];
}

const SYSTEM: Readonly<Record<string, Program>> = { ...smallPrograms, ...lookingPrograms, systemctl };

const PACKAGE_MANAGERS: Readonly<Record<HostState['family'], Readonly<Record<string, Program>>>> = {
  deb: { 'apt-get': aptGet, 'apt-cache': aptCache, 'apt-mark': aptMark, dpkg, 'dpkg-query': dpkgQuery },
  rpm: { dnf, yum, rpm },
};
