import { quoteOne } from '../lib/quote.js';
import { answer, unreadable } from './answer.js';
import type { HostFact } from './kind.js';

/** A systemd unit. */
export interface ServiceState {
  readonly load: 'loaded' | 'not-found' | 'masked' | 'error' | 'bad-setting';
  /** ActiveState: active, inactive, failed, activating, deactivating, reloading. */
  readonly active: string;
  readonly sub: string;
  /** UnitFileState: enabled, disabled, static, indirect, generated … or empty. */
  readonly enabled: string;
  /** Processes left in the unit's control group. */
  readonly processes: number;
  /** When its last start began, milliseconds since the epoch; null when it is not active. */
  readonly startedAtMs: number | null;
  /** The unit file changed on disk: a daemon-reload is due. */
  readonly needsReload: boolean;
}

/** As sd_booted(3) asks: installed is not enough. */
const isRunning = '[ -d /run/systemd/system ]';

export const noSystemd = {
  reason: 'this host does not run systemd',
  hint: 'services are started and stopped, and packages installed, through systemd: boot the host with it, or take it out of the inventory',
} as const;

/** Can jobs be started in units of systemd? Key: empty. */
export const systemd: HostFact<void, boolean> = {
  name: 'systemd',
  key: () => '',
  sh: () => `${isRunning} && command -v systemd-run`,
  parse: ({ exit }) => answer<boolean>(exit === 0),
};

const properties =
  'LoadState,ActiveState,SubState,UnitFileState,ControlGroup,NeedDaemonReload,InactiveExitTimestamp,InactiveExitTimestampMonotonic';

export const service: HostFact<string, ServiceState> = {
  name: 'service',
  key: (unit) => unit,
  // Before systemd 247 there is no --timestamp: the start is then told by the clocks, rounded towards later.
  // Each process's own record is asked for its control group: this holds on both versions of cgroups and in containers.
  sh: (unit) => `u=${quoteOne(unit)}
s=$(systemctl show --timestamp=us+utc -p ${properties} -- "$u") || s=$(systemctl show -p ${properties} -- "$u" 2>&1) || { printf %s "$s"; ${isRunning} || exit 3; exit 1; }
printf '%s\\n' "$s"
g=\${s#*ControlGroup=}; g=\${g%%
*}
case $g in /?*) printf 'Processes=%s\\n' "$(grep -lF -- ":$g" /proc/[0-9]*/cgroup | wc -l)";; esac
printf 'Uptime=%s\\n' "$(cut -d ' ' -f 1 /proc/uptime)"
date +Now=%s%3N`,
  parse: ({ exit, stdout }, unit) => {
    if (exit === 3) return unreadable(noSystemd.reason, noSystemd.hint);
    if (exit !== 0) return unreadable(`systemctl does not report ${unit}: ${stdout.trim()}`);
    const found = new Map(
      stdout.split('\n').flatMap((l) => {
        const at = l.indexOf('=');
        return at < 0 ? [] : [[l.slice(0, at), l.slice(at + 1)] as const];
      }),
    );
    const active = found.get('ActiveState') ?? '';
    return answer<ServiceState>({
      load: loadOf(found.get('LoadState') ?? ''),
      active,
      sub: found.get('SubState') ?? '',
      enabled: found.get('UnitFileState') ?? '',
      processes: Number(found.get('Processes') ?? 0),
      startedAtMs: ['active', 'reloading'].includes(active) ? startedAtMs(found) : null,
      needsReload: found.get('NeedDaemonReload') === 'yes',
    });
  },
};

const loads = ['loaded', 'not-found', 'masked', 'error', 'bad-setting'] as const;
const loadOf = (text: string): ServiceState['load'] => loads.find((l) => l === text) ?? 'error';

/** From `Fri 2026-11-20 21:47:32.123456 UTC`, or from the monotonic clock where systemd tells only whole seconds. */
function startedAtMs(found: ReadonlyMap<string, string>): number | null {
  const exact = /(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d\.\d{3})\d* UTC/.exec(found.get('InactiveExitTimestamp') ?? '');
  if (exact !== null) return Date.parse(`${exact[1] ?? ''}T${exact[2] ?? ''}Z`);
  const [monotonicUs, nowMs, uptimeS] = ['InactiveExitTimestampMonotonic', 'Now', 'Uptime'].map((k) =>
    Number(found.get(k)),
  );
  const started = Math.round((nowMs ?? NaN) - (uptimeS ?? NaN) * 1000 + (monotonicUs ?? NaN) / 1000);
  return Number.isNaN(started) || monotonicUs === 0 ? null : started;
}
