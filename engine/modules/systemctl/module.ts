import { file, type FileState } from '../../facts/file.js';
import type { PortState, ProbeAnswer } from '../../facts/host.js';
import { packageState, type PackageState } from '../../facts/package.js';
import { service, type ServiceState } from '../../facts/service.js';
import { blocked, ok, type Verdict } from '../../terms/change.js';
import { done, need, type Done, type Need } from '../../terms/fact.js';
import { defineModule } from '../../terms/module.js';
import { taskKey } from '../../terms/task.js';
import { judgeOrder, serviceChange, serviceTouches, TIMEOUT_MS } from './change.js';
import { notReady, readiness } from './ready.js';
import { isRestarted, isUp, processes, whatIsDue } from './state.js';
import { timeLimitMs } from '../shared/time-limit.js';
import type { SystemctlArgs } from './schema.js';

type Asked = { readonly now: Need<ServiceState>; readonly done: Need<Done> } & Readonly<
  Record<`file:${string}`, Need<FileState>>
> &
  Readonly<Record<`package:${string}`, Need<PackageState>>> &
  Readonly<Record<`ready:port`, Need<PortState>>> &
  Readonly<Record<`ready:probe`, Need<ProbeAnswer>>>;

export const systemctl = defineModule<SystemctlArgs>()({
  name: 'systemctl',
  needs: ({ unit, state, restart_if_newer = [], ready }, { task }) =>
    ({
      now: need(task.on, service, unit),
      ...(state === 'restarted' ? { done: need(task.on, done, taskKey(task)) } : {}),
      ...Object.fromEntries(
        restart_if_newer.map((name) =>
          name.startsWith('/')
            ? [`file:${name}`, need(task.on, file, name)]
            : [`package:${name}`, need(task.on, packageState, name)],
        ),
      ),
      ...readiness(ready, task.on),
    }) as Asked,
  touches: serviceTouches,
  leavesActive: ({ unit, state }) => (state === undefined ? {} : { [unit]: state !== 'stopped' }),
  decide(asked, found, at) {
    const { now } = found;
    // Once restarted, it is to be started.
    const args: SystemctlArgs =
      asked.state === 'restarted' && isRestarted(now, found.done) ? { ...asked, state: 'started' } : asked;
    const refusal = refused(args, now);
    if (refusal !== undefined) return refusal;
    const due = whatIsDue(args, now, {
      changedSince: (ms) => changedSince(found, ms),
      isReady: () => notReady(args.ready, found) === undefined,
    });
    if (due.reload || due.enable !== undefined || due.act !== undefined)
      return { is: 'change', change: serviceChange(args, now, due, at) };
    return settled(args, now, () => notReady(args.ready, found));
  },
  judge: judgeOrder,
});

function refused({ unit, state, enabled }: SystemctlArgs, now: ServiceState): Verdict | undefined {
  if (now.load === 'not-found')
    return blocked(`there is no unit ${unit}`, 'is the package installed, and the name right?');
  const up = state === 'started' || state === 'restarted';
  if (now.load === 'masked' && (up || enabled === true))
    return blocked(
      `${unit} is masked: it can be neither started nor enabled`,
      `it was masked on purpose; \`systemctl unmask ${unit}\` undoes that`,
    );
  if ((now.load === 'error' || now.load === 'bad-setting') && !now.needsReload && up)
    return blocked(`systemd cannot read the unit file of ${unit}`, `\`systemd-analyze verify ${unit}\` says why`);
  if (enabled === true && NOT_ENABLED.has(now.enabled))
    return blocked(
      `${unit} is ${now.enabled}: it has no install section, so it cannot be enabled`,
      'leave `enabled` out',
    );
  return undefined;
}

const NOT_ENABLED: ReadonlySet<string> = new Set(['static', 'indirect', 'generated', 'transient']);

/** Nothing is left to order; it may have to be waited for. */
function settled({ unit, state, timeout }: SystemctlArgs, now: ServiceState, lacks: () => string | undefined): Verdict {
  const limit = timeout === undefined ? {} : { limitMs: timeLimitMs(timeout, TIMEOUT_MS) };
  if (state === 'stopped' && (now.processes > 0 || now.active === 'deactivating'))
    return { is: 'waiting', for: `${processes(now.processes)} of ${unit} to end`, ...limit };
  if (state === 'stopped')
    return ok(now.active === 'inactive' ? `${unit} is stopped` : `${unit} is ${now.active}, and no process is left`);
  if (state === 'started' && !isUp(now))
    return { is: 'waiting', for: `${unit} to be active: it is ${now.active} (${now.sub})`, ...limit };
  const lacking = state === 'started' ? lacks() : undefined;
  if (lacking !== undefined) return { is: 'waiting', for: `${unit} to be ready: ${lacking}`, ...limit };
  return ok(`${unit} is ${now.active}${now.enabled === '' ? '' : `, ${now.enabled}`}`, {
    started_at_ms: now.startedAtMs,
  });
}

/** Did what the unit must have started after change later than this? Packages first: what they bring to files is known only afterwards. */
function changedSince(found: Readonly<Record<string, unknown>>, ms: number): boolean {
  const names = Object.keys(found);
  const ordered = [...names.filter((n) => n.startsWith('package:')), ...names.filter((n) => n.startsWith('file:'))];
  return ordered.some((name) => ((found[name] as { readonly changedAtMs?: number | null }).changedAtMs ?? 0) > ms);
}
