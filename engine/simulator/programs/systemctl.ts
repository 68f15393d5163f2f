import { startService, stopService } from '../services.js';
import { isUp, unitName } from '../units.js';
import { nextSerial } from '../timers.js';
import { done, fails } from './call.js';
import type { Call, Ended } from '../rules.js';

/** `systemctl VERB UNIT…`: the verbs that change a unit or tell of it. */
export function systemctl(call: Call): Ended {
  const words = call.args.filter((a) => !a.startsWith('-'));
  const verb = words[0] ?? '';
  const units = words.slice(1).map(unitName);
  if (verb === 'daemon-reload') return daemonReload(call);
  if (verb === 'reboot') return reboot(call);
  if (verb === 'list-units') return listUnits(call, words.slice(1));
  const each = VERBS[verb];
  if (each === undefined) return fails(1, `Unknown command verb ${verb}.\n`);
  let ended = done();
  for (const unit of units) {
    const one =
      call.host.services[unit] === undefined && verb !== 'is-active' ? notFound(verb, unit) : each(call, unit);
    ended = {
      exit: Math.max(ended.exit, one.exit),
      stdout: ended.stdout + one.stdout,
      stderr: ended.stderr + one.stderr,
      tookMs: ended.tookMs + one.tookMs,
    };
  }
  return ended;
}

/** `list-units --state=active --plain --no-legend NAME…`: those of them that are active. */
const listUnits = ({ host }: Call, names: readonly string[]): Ended =>
  done(
    names
      .filter((name) => host.services[unitName(name)]?.active === 'active')
      .map((name) => `${name} loaded active running ${name}\n`)
      .join(''),
  );

const notFound = (verb: string, unit: string): Ended =>
  verb === 'status'
    ? fails(4, `Unit ${unit}.service could not be found.\n`)
    : fails(5, `Failed to ${verb} ${unit}.service: Unit ${unit}.service not found.\n`);

const VERBS: Readonly<Record<string, (call: Call, unit: string) => Ended>> = {
  start: (call, unit) => started(unit, startService(call, call.host, unit)),
  stop: (call, unit) => done('', stopService(call, call.host, unit)),
  restart: (call, unit) => {
    const stoppedMs = stopService(call, call.host, unit);
    const ended = started(unit, startService(call, call.host, unit));
    return { ...ended, tookMs: ended.tookMs + stoppedMs };
  },
  enable: ({ host }, unit) => enable(host.services, unit, true),
  disable: ({ host }, unit) => enable(host.services, unit, false),
  'reset-failed': ({ host }, unit) => {
    const entry = host.services[unit];
    if (entry?.active === 'failed') entry.active = 'inactive';
    return done();
  },
  'is-active': ({ host }, unit) => {
    const active = host.services[unit]?.active ?? 'inactive';
    return { ...done(`${active}\n`), exit: active === 'active' ? 0 : 3 };
  },
  status: ({ host }, unit) => {
    const entry = host.services[unit];
    return {
      ...done(`● ${unit}.service\n     Active: ${entry?.active ?? ''} (${isUp(host, unit) ? 'running' : 'exited'})\n`),
      exit: entry?.active === 'active' ? 0 : 3,
    };
  },
};

function started(unit: string, result: ReturnType<typeof startService>): Ended {
  if (result.ok) return done('', result.tookMs);
  return fails(
    1,
    `Job for ${unit}.service failed because the control process exited with error code.\nSee "systemctl status ${unit}.service" and "journalctl -xeu ${unit}.service" for details.\n`,
    result.tookMs,
  );
}

function enable(services: Call['host']['services'], unit: string, enabled: boolean): Ended {
  const entry = services[unit];
  const changes = entry?.enabled !== enabled;
  if (entry !== undefined) entry.enabled = enabled;
  return {
    ...done('', 200),
    stderr: changes
      ? `${enabled ? 'Created' : 'Removed'} symlink /etc/systemd/system/multi-user.target.wants/${unit}.service\n`
      : '',
  };
}

function daemonReload({ host }: Call): Ended {
  for (const entry of Object.values(host.services)) entry.needsReload = false;
  return done('', 300);
}

/** Services that start at boot come back; jobs under way are lost. */
function reboot(call: Call): Ended {
  const { state, host } = call;
  const running = Object.keys(host.services).filter((u) => host.services[u]?.enabled === true);
  for (const unit of Object.keys(host.services)) stopService(call, host, unit);
  host.bootId = `boot-${host.name}-${nextSerial(state)}`;
  for (const [id, job] of Object.entries(host.jobs))
    if (job.is === 'running') host.jobs[id] = { ...job, is: 'lost', why: 'rebooted' };
  for (const unit of running) startService(call, host, unit);
  return done('', 30_000);
}
