import { strike } from '../faults.js';
import { configure, unpack, type ConffilePolicy } from '../packages/install.js';
import { startService, stopService } from '../services.js';
import { done, fails } from './call.js';
import type { Call, Ended } from '../rules.js';

const BYTES_A_MS = 40_000;

/** What options say about changed configuration files: with `confdef`, also beside `confnew`, the old one is kept. */
export function conffilePolicy(options: readonly string[]): ConffilePolicy {
  if (options.some((o) => o === '--force-confdef' || o === '--force-confold')) return 'keep';
  return options.includes('--force-confnew') ? 'new' : 'ask';
}

/** `dpkg --configure -a`: ends what was left half-done. `dpkg -s`, `-l` and others are not the model's. */
export function dpkg(call: Call): Ended {
  if (!call.args.includes('--configure')) return fails(2, 'dpkg: error: need an action option\n');
  if (call.host.lockedUntilMs > call.state.nowMs)
    return fails(2, 'dpkg: error: dpkg frontend lock was locked by another process with pid 4711\n');
  let out = '';
  let tookMs = 300;
  for (const [name, entry] of Object.entries(call.host.packages)) {
    if (entry.status !== 'iU') continue;
    const finished = finish(call, name, conffilePolicy(call.args));
    out += finished.stdout;
    tookMs += finished.tookMs;
    if (finished.exit !== 0) return { ...finished, stdout: out, tookMs };
  }
  return done(out, tookMs);
}

/** `dpkg-query -W -f=FORMAT NAME`: the version that is shown may be only unpacked. */
export function dpkgQuery({ host, args }: Call): Ended {
  if (args[0] === '-S') return owners(host, args.slice(1));
  const name = args.findLast((a) => !a.startsWith('-')) ?? '';
  const format =
    args.map((a) => /^(?:-f=|--showformat=)([\s\S]*)$/.exec(a)?.[1]).find((f) => f !== undefined) ??
    '${Package}\t${Version}\n';
  const entry = host.packages[name];
  if (entry === undefined) return fails(1, `dpkg-query: no packages found matching ${name}\n`);
  const status = `${entry.held ? 'h' : 'i'}${entry.status.slice(1)}`;
  const values: Readonly<Record<string, string>> = {
    Package: name,
    Version: entry.version,
    'db:Status-Abbrev': `${status} `,
  };
  return done(
    format
      .replace(/\$\{([\w:-]+)\}/g, (_, key: string) => values[key] ?? '')
      .replaceAll('\\n', '\n')
      .replaceAll('\\t', '\t'),
  );
}

/** `dpkg-query -S PATH…`: whose each file is. */
function owners(host: Call['host'], paths: readonly string[]): Ended {
  const owner = (path: string): string | undefined =>
    Object.entries(host.packages).find(([, p]) => p.files.includes(path) || path in p.conffiles)?.[0];
  const found = paths.filter((path) => owner(path) !== undefined);
  const missing = paths.filter((path) => owner(path) === undefined);
  return {
    ...fails(
      missing.length === 0 ? 0 : 1,
      missing.map((path) => `dpkg-query: no path found matching pattern ${path}\n`).join(''),
    ),
    stdout: found.map((path) => `${owner(path) ?? ''}: ${path}\n`).join(''),
  };
}

/** Unpacks a version over what is there. */
export function place({ state, rules, host }: Call, name: string, version: string): Ended {
  const definition = rules.packageOf(state, name, version);
  if (definition === undefined) return fails(1, `dpkg: error processing archive ${name}\n`);
  const before = host.packages[name]?.version;
  unpack(host, { name, version, definition }, state.nowMs);
  const over = before === undefined ? '' : ` over (${before})`;
  return done(
    `Preparing to unpack .../${name}_${version}_amd64.deb ...\nUnpacking ${name} (${version})${over} ...\n`,
    Math.round(definition.sizeBytes / BYTES_A_MS),
  );
}

/** Configures an unpacked package, and restarts its service only if that was active before. */
export function finish(call: Call, name: string, policy: ConffilePolicy): Ended {
  const { state, rules, host } = call;
  const entry = host.packages[name];
  const definition = entry === undefined ? undefined : rules.packageOf(state, name, entry.version);
  if (entry === undefined || definition === undefined)
    return fails(1, `dpkg: error: package ${name} is not installed\n`);
  const setting = `Setting up ${name} (${entry.version}) ...\n`;
  if (strike(state, 'half-configured', (f) => f.host === host.name && f.package === name) !== undefined) {
    return {
      exit: 1,
      stdout: setting,
      stderr: `dpkg: error processing package ${name} (--configure):\n installed ${name} package post-installation script subprocess returned error exit status 1\n`,
      tookMs: 500,
    };
  }
  const asked = configure(host, { name, version: entry.version, definition }, policy, state.nowMs);
  if (asked !== undefined) {
    const prompt = `Configuration file '${asked}'\n ==> Modified (by you or by a script) since installation.\n ==> Package distributor has shipped an updated version.\n`;
    return {
      exit: 1,
      stdout: setting + prompt,
      stderr: `dpkg: error processing package ${name} (--configure):\n end of file on stdin at conffile prompt\n`,
      tookMs: 500,
    };
  }
  const service = host.services[definition.service];
  // A script that restarts its unit has it read again; any other leaves that to whoever starts it.
  if (service !== undefined) service.needsReload = !entry.wasActive;
  let tookMs = 1_000;
  if (entry.wasActive)
    tookMs += stopService(call, host, definition.service) + startService(call, host, definition.service).tookMs;
  entry.wasActive = false;
  return done(setting, tookMs);
}
