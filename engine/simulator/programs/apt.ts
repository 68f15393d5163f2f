import { askRepository } from '../repository.js';
import { position } from '../faults.js';
import { freeBytes, textAt } from '../files.js';
import { compareDeb } from '../../lib/version.js';
import type { ConffilePolicy } from '../packages/install.js';
import type { HostState, SimulatedState } from '../state.js';
import { done, fails } from './call.js';
import type { Call, Ended } from '../rules.js';
import { stage, stagedAt, stagedFile } from './staged.js';
import { conffilePolicy, finish, place } from './dpkg.js';
import { matchesPattern } from '../pattern.js';

interface Options {
  readonly verb: string;
  readonly packages: readonly string[];
  readonly flags: ReadonlySet<string>;
  readonly settings: ReadonlyMap<string, string>;
  readonly policy: ConffilePolicy;
}

/** `apt-get update` and `apt-get install`, with the messages and statuses of the real one. */
export function aptGet(call: Call): Ended {
  const options = read(call.args);
  if (options.verb === 'update') return update(call.state, call.host);
  if (options.verb === 'install') return underLock(call, options, () => install(call, options));
  if (options.verb === 'clean' || options.verb === 'check') return done();
  return fails(100, `E: Invalid operation ${options.verb}\n`);
}

function read(args: readonly string[]): Options {
  const flags = new Set<string>();
  const settings = new Map<string, string>();
  const words: string[] = [];
  const dpkg: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    const set = arg === '-o' ? args[++i] : arg.startsWith('-o') ? arg.slice(2) : undefined;
    if (set !== undefined) {
      const [, key = '', value = ''] = /^([^=]*)=([\s\S]*)$/.exec(set) ?? [];
      if (key.toLowerCase().startsWith('dpkg::options')) dpkg.push(value);
      else settings.set(key.toLowerCase(), value);
    } else if (arg.startsWith('-')) flags.add(arg);
    else words.push(arg);
  }
  return { verb: words[0] ?? '', packages: words.slice(1), flags, settings, policy: conffilePolicy(dpkg) };
}

/** Learns what the enabled sources offer. A source that cannot be fetched fails; a disabled one is not asked. */
function update(state: SimulatedState, host: HostState): Ended {
  const malformed = sourcesOf(state, host).find(
    (line) => !/^\s*deb(?:-src)?(?:\s+\[[^\]]*\])?\s+\w+:\S+\s+\S/.test(line),
  );
  if (malformed !== undefined)
    return fails(100, `E: Malformed entry in list file (${malformed})\nE: The list of sources could not be read.\n`);
  if (!sourceEnabled(state, host)) return done('Reading package lists...\n', 1_000);
  if (askRepository(state, 'apt', 'dists/stable/InRelease') !== undefined) {
    const url = `${state.packageUrl}${state.repositoryPath}/apt`;
    return fails(100, `E: The repository '${url} stable Release' does not have a Release file.\n`, 1_500);
  }
  host.packageIndex = structuredClone(state.repository);
  return done(
    `Get:1 ${state.packageUrl}${state.repositoryPath}/apt stable InRelease [17.3 kB]\nFetched 58.2 kB in 1s (61.0 kB/s)\nReading package lists...\n`,
    2_500,
  );
}

const sourcesOf = (state: SimulatedState, host: HostState): readonly string[] =>
  (textAt(host, state.repositoryFile.deb) ?? '').split('\n').filter((line) => /^\s*[^#\s]/.test(line));

/** Is there a line of the repository that is no comment? */
export const sourceEnabled = (state: SimulatedState, host: HostState): boolean =>
  sourcesOf(state, host).some((line) => line.includes(`${state.packageUrl}/`));

/** Versions of a package to be had by the present index, newest first; a disabled source offers nothing. */
export const offered = (state: SimulatedState, host: HostState, name: string): readonly string[] =>
  sourceEnabled(state, host) ? [...(host.packageIndex[name] ?? [])].sort((a, b) => compareDeb(b, a)) : [];

/** The lock of another program is waited for as long as told, and never deleted. */
export function underLock(call: Call, options: Pick<Options, 'settings'>, then: () => Ended): Ended {
  const { state, host } = call;
  const leftMs = host.lockedUntilMs - state.nowMs;
  const patienceMs = Number(options.settings.get('dpkg::lock::timeout') ?? '0') * 1_000;
  const waitsMs = Math.max(0, patienceMs - call.waitedMs);
  if (leftMs > 0 && patienceMs >= 0 && waitsMs < leftMs) {
    return fails(
      100,
      `${patienceMs > 0 ? 'Waiting for cache lock:' : 'E:'} Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 4711 (unattended-upgr)\nE: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?\n`,
      waitsMs + 100,
    );
  }
  const ended = then();
  return { ...ended, tookMs: ended.tookMs + Math.max(0, leftMs) };
}

function install(call: Call, options: Options): Ended {
  const { state, host } = call;
  let out = 'Reading package lists...\nBuilding dependency tree...\nReading state information...\n';
  let tookMs = 1_500;
  for (const wanted of options.packages) {
    const file = wanted.startsWith('/') ? stagedAt(host, wanted) : undefined;
    if (wanted.startsWith('/') && file === undefined)
      return fails(100, `E: Unsupported file ${wanted} given on commandline\n`);
    const [name = '', pin] = file === undefined ? wanted.split('=') : [file.name];
    const chosen = file === undefined ? choose(call, name, pin) : file.version;
    if (typeof chosen !== 'string') return { ...chosen, stdout: out, tookMs };
    if (options.flags.has('--download-only')) {
      const refused = spaceAndFetch(call, name, chosen);
      if (refused !== undefined) return { ...fails(100, refused, tookMs), stdout: out };
      stage(state, host, { name, version: chosen }, 'deb');
      tookMs += 8_000;
      continue;
    }
    const now = host.packages[name];
    if (now?.version === chosen && now.status === 'ii' && !options.flags.has('--reinstall')) {
      out += `${name} is already the newest version (${chosen}).\n0 upgraded, 0 newly installed, 0 to remove and 0 not upgraded.\n`;
      continue;
    }
    const refused = refusal(call, options, name, chosen) ?? spaceAndFetch(call, name, chosen, file !== undefined);
    if (refused !== undefined) return { ...fails(100, refused, tookMs), stdout: out };
    const placed = place(call, name, chosen);
    const finished = finish(call, name, options.policy);
    postInvoke(host, options);
    out += placed.stdout + finished.stdout;
    tookMs += placed.tookMs + finished.tookMs;
    if (finished.exit !== 0) {
      return {
        exit: 100,
        stdout: out,
        stderr: `${finished.stderr}E: Sub-process /usr/bin/dpkg returned an error code (1)\n`,
        tookMs,
      };
    }
  }
  return done(out, tookMs);
}

/** What apt runs when dpkg has ended, well or not: the one command that the engine gives it. */
function postInvoke(host: HostState, { settings }: Options): void {
  const command = settings.get('dpkg::post-invoke::') ?? '';
  const entry = host.packages[/^echo (\S+) hold \| dpkg --set-selections$/.exec(command)?.[1] ?? ''];
  if (entry !== undefined) entry.held = true;
}

/** The version that apt would take: a pinned one must be offered or installed; otherwise the newest of both. */
function choose({ state, rules, host }: Call, name: string, pin: string | undefined): string | Ended {
  const installed = host.packages[name]?.version;
  const known = [...new Set([...offered(state, host, name), ...(installed === undefined ? [] : [installed])])].sort(
    (a, b) => compareDeb(b, a),
  );
  if (rules.packageOf(state, name, '1') === undefined || known.length === 0)
    return fails(100, `E: Unable to locate package ${name}\n`);
  const found = pin === undefined ? known[0] : known.find((v) => matchesPattern(v, pin));
  return found ?? fails(100, `E: Version '${pin ?? ''}' for '${name}' was not found\n`);
}

function refusal({ host }: Call, options: Options, name: string, version: string): string | undefined {
  const now = host.packages[name];
  const differs = now?.version !== version;
  if (differs && now?.held === true && !options.flags.has('--allow-change-held-packages')) {
    return 'E: Held packages were changed and -y was used without --allow-change-held-packages.\n';
  }
  if (now !== undefined && compareDeb(version, now.version) < 0 && !options.flags.has('--allow-downgrades')) {
    return 'E: Packages were downgraded and -y was used without --allow-downgrades.\n';
  }
  return undefined;
}

/** Room for it, and a repository that gives it where it is not in the cache. */
function spaceAndFetch({ state, rules, host }: Call, name: string, version: string, given = false): string | undefined {
  const size = rules.packageOf(state, name, version)?.sizeBytes ?? 0;
  const full = position(state, 'disk-full', (f) => f.host === host.name) !== undefined;
  if (full || freeBytes(host) < size) return "E: You don't have enough free space in /var/cache/apt/archives/.\n";
  if (given || stagedFile(host, { name, version }) !== null || host.packages[name]?.version === version)
    return undefined;
  const file = `${name}_${version}_amd64.deb`;
  const broken = askRepository(state, 'apt', file);
  return broken === undefined
    ? undefined
    : `E: Failed to fetch ${state.packageUrl}${state.repositoryPath}/apt/${file}  ${broken.status}\n`;
}

/** `apt-cache madison NAME` and `apt-cache policy NAME`. */
export function aptCache({ state, host, args: [verb = '', name = ''] }: Call): Ended {
  const versions = offered(state, host, name);
  if (verb === 'madison')
    return done(
      versions
        .map((v) => `${name} | ${v} | ${state.packageUrl}${state.repositoryPath}/apt stable/main amd64 Packages\n`)
        .join(''),
    );
  if (verb !== 'policy') return fails(100, `E: Invalid operation ${verb}\n`);
  const installed = host.packages[name]?.version ?? '(none)';
  return done(`${name}:\n  Installed: ${installed}\n  Candidate: ${versions[0] ?? installed}\n`);
}

/** `apt-mark hold|unhold|showhold NAME…`: dpkg does it, and waits for no lock. */
export function aptMark({ state, host, args: [verb = '', ...names] }: Call): Ended {
  if (verb === 'showhold')
    return done(
      Object.keys(host.packages)
        .filter((n) => host.packages[n]?.held === true)
        .map((n) => `${n}\n`)
        .join(''),
    );
  if (verb !== 'hold' && verb !== 'unhold') return fails(1, `E: No command given\n`);
  let out = '';
  for (const name of names) {
    const entry = host.packages[name];
    if (entry === undefined) return fails(100, `E: Unable to locate package ${name}\n`);
    out +=
      entry.held === (verb === 'hold')
        ? `${name} was already ${verb === 'hold' ? 'set on hold' : 'not on hold'}.\n`
        : verb === 'hold'
          ? `${name} set on hold.\n`
          : `Canceled hold on ${name}.\n`;
    if (entry.held !== (verb === 'hold') && host.lockedUntilMs > state.nowMs) return fails(100, LOCKED_MARK);
    entry.held = verb === 'hold';
  }
  return done(out, 300);
}

const LOCKED_MARK = `dpkg: error: dpkg database lock was locked by another process with pid 4711
Note: removing the lock file is always wrong, can damage the locked area
and the entire system. See <https://wiki.debian.org/Teams/Dpkg/FAQ#db-lock>.
E: Sub-process dpkg --set-selections returned an error code (2)
E: Executing dpkg failed. Are you root?
`;
