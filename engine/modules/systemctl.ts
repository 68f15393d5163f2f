import { file, type FileState } from '../facts/file.js';
import { port, probe, type PortState, type ProbeAnswer } from '../facts/host.js';
import { packageState, type PackageState } from '../facts/package.js';
import { service, type ServiceState } from '../facts/service.js';
import type { Action, Outcome } from '../terms/action.js';
import { blocked, ok, type Change, type Prediction, type Verdict } from '../terms/change.js';
import { need, type Need } from '../terms/fact.js';
import { defineModule, type At, type Judgement } from '../terms/module.js';
import { badPattern } from './pattern.js';
import { isUp, notReady, processes, whatIsDue, type Due, type SystemctlArgs } from './service-state.js';
import { timeLimitMs } from './time-limit.js';

type Asked = { readonly now: Need<ServiceState> } & Readonly<Record<`file:${string}`, Need<FileState>>> &
  Readonly<Record<`package:${string}`, Need<PackageState>>> &
  Readonly<Record<`ready:port`, Need<PortState>>> &
  Readonly<Record<`ready:probe`, Need<ProbeAnswer>>>;

const TIMEOUT_MS = 300_000;
const PROBE_TIMEOUT_MS = 20_000;

export const systemctl = defineModule<SystemctlArgs>()({
  name: 'systemctl',
  summary: 'Bring a systemd unit to a state, say whether it starts at boot, and wait until it is ready.',
  needs: ({ unit, fresh_since = {}, ready }, { task }) =>
    ({
      now: need(task.on, service, unit),
      ...Object.fromEntries((fresh_since.files ?? []).map((path) => [`file:${path}`, need(task.on, file, path)])),
      ...Object.fromEntries(
        (fresh_since.packages ?? []).map((name) => [`package:${name}`, need(task.on, packageState, name)]),
      ),
      ...readiness(ready, task.on),
    }) as Asked,
  touches: ({ unit, ready }, { task }) => [need(task.on, service, unit), ...Object.values(readiness(ready, task.on))],
  decide(args, found, at) {
    const { now } = found;
    const refusal = refused(args, now) ?? badPattern({ 'ready.stdout': args.ready?.stdout });
    if (refusal !== undefined) return refusal;
    const due = whatIsDue(args, now, {
      changedSince: (ms) => changedSince(found, ms),
      isReady: () => notReady(args.ready, found) === undefined,
    });
    if (due.reload || due.enable !== undefined || due.act !== undefined)
      return { is: 'change', change: change(args, now, due, at) };
    return settled(args, now, () => notReady(args.ready, found));
  },
  judge: judged,
});

function refused({ unit, state, enabled }: SystemctlArgs, now: ServiceState): Verdict | undefined {
  if (now.load === 'not-found')
    return blocked(`there is no unit ${unit}`, 'is the package installed, and the name right?');
  if (now.load === 'masked' && (state === 'started' || enabled === true))
    return blocked(
      `${unit} is masked: it can be neither started nor enabled`,
      `somebody masked it on purpose; \`systemctl unmask ${unit}\` undoes that`,
    );
  if ((now.load === 'error' || now.load === 'bad-setting') && !now.needsReload && state === 'started')
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

function change(args: SystemctlArgs, now: ServiceState, due: Due, at: At): Change {
  const { unit, ready } = args;
  const words = [
    ...(due.act === undefined
      ? []
      : [due.because === undefined ? WORDS[due.act] : `${WORDS[due.act]} (${due.because})`]),
    ...(due.enable === undefined ? [] : [due.enable ? 'at boot' : 'no longer at boot']),
  ];
  return {
    summary: `${unit} ${words.length === 0 ? 'unit file read again' : words.join(', ')}`,
    sign: due.act === undefined ? '~' : '↻',
    actions: actions(args, now, due) as [Action, ...Action[]],
    touches: systemctl.touches(args, at),
    predicts: [
      { ref: need(at.task.on, service, unit), value: { ...predicted(args, now, due, at.timeMs) } },
      ...(due.act === undefined ? [] : predictReady(ready, due.act !== 'stop', at)),
    ],
    undo: undo(args, now, due, at),
  };
}

const WORDS = { start: 'starts', restart: 'restarts', stop: 'stops' } as const;

function actions({ unit, daemon_reload = false, timeout }: SystemctlArgs, now: ServiceState, due: Due): Action[] {
  const run = (...argv: readonly [string, ...string[]]): Action => ({
    do: 'run',
    command: { argv: ['systemctl', ...argv], timeoutMs: timeLimitMs(timeout, TIMEOUT_MS) },
    expect: { exit: [0, 1] },
  });
  const starts = due.act === 'start' || due.act === 'restart';
  return [
    ...(due.reload || daemon_reload ? [run('daemon-reload')] : []),
    // A unit that failed too often would refuse to start until it is forgiven.
    ...(starts && now.active === 'failed' ? [run('reset-failed', unit)] : []),
    ...(due.enable === undefined ? [] : [run(due.enable ? 'enable' : 'disable', unit)]),
    ...(due.act === undefined ? [] : [run(due.act, unit)]),
  ];
}

function predicted(
  { daemon_reload = false }: SystemctlArgs,
  now: ServiceState,
  due: Due,
  timeMs: number,
): ServiceState {
  const enabled = due.enable === undefined ? now.enabled : due.enable ? 'enabled' : 'disabled';
  const reloaded = due.reload || daemon_reload;
  const base = {
    ...now,
    load: now.load === 'masked' ? now.load : ('loaded' as const),
    enabled,
    needsReload: now.needsReload && !reloaded,
  };
  if (due.act === undefined) return base;
  if (due.act === 'stop') return { ...base, active: 'inactive', sub: 'dead', processes: 0, startedAtMs: null };
  return {
    ...base,
    active: 'active',
    sub: isUp(now) ? now.sub : 'running',
    processes: Math.max(1, now.processes),
    startedAtMs: timeMs,
  };
}

/** A port opens and closes with its service; what a probe prints is not known. */
const predictReady = (ready: SystemctlArgs['ready'], up: boolean, { task }: At): Prediction[] => [
  ...(ready?.port === undefined ? [] : [{ ref: need(task.on, port, ready.port), value: { open: up } }]),
  ...(ready?.probe === undefined
    ? []
    : [{ ref: readiness(ready, task.on)['ready:probe'] as Need, unknown: `whether ${ready.probe[0]} finds it ready` }]),
];

const readiness = (ready: SystemctlArgs['ready'], on: At['task']['on']): Readonly<Record<string, Need>> => ({
  ...(ready?.port === undefined ? {} : { 'ready:port': need(on, port, ready.port) }),
  ...(ready?.probe === undefined
    ? {}
    : { 'ready:probe': need(on, probe, { argv: ready.probe, timeoutMs: PROBE_TIMEOUT_MS }) }),
});

/** Did what the unit must have started after change later than this? Packages first: what they bring to files is known only afterwards. */
function changedSince(found: Readonly<Record<string, unknown>>, ms: number): boolean {
  const names = Object.keys(found);
  const ordered = [...names.filter((n) => n.startsWith('package:')), ...names.filter((n) => n.startsWith('file:'))];
  return ordered.some((name) => ((found[name] as { readonly changedAtMs?: number | null }).changedAtMs ?? 0) > ms);
}

function undo({ unit, ready, timeout }: SystemctlArgs, now: ServiceState, due: Due, { task }: At): Change['undo'] {
  const state =
    due.act === undefined || due.act === 'restart' ? {} : { state: due.act === 'start' ? 'stopped' : 'started' };
  const enabled =
    due.enable === undefined ? {} : { enabled: now.enabled === 'enabled' || now.enabled === 'enabled-runtime' };
  if (Object.keys({ ...state, ...enabled }).length === 0)
    return {
      nothing:
        due.act === 'restart' ? 'a restart leaves nothing to take back' : 'systemd knows the unit file that is there',
    };
  if (now.load === 'masked') return { never: `${unit} is masked: once stopped it cannot be started` };
  const rest = {
    ...(ready === undefined || due.act === undefined ? {} : { ready }),
    ...(timeout === undefined ? {} : { timeout }),
  };
  return { steps: [{ module: 'systemctl', args: { unit, ...state, ...enabled, ...rest }, on: task.on }] };
}

function judged({ unit, state }: SystemctlArgs, outcome: Outcome): Judgement {
  if (outcome.is !== 'ended' || outcome.exit === 0) return { is: 'done' };
  const said = outcome.stderr.trim().split('\n')[0] ?? '';
  return {
    is: 'failed',
    reason:
      state === 'started' ? `${unit} did not start: ${said}` : `systemctl ended with status ${outcome.exit}: ${said}`,
    hint: `\`journalctl -u ${unit} -n 50\` tells what happened`,
  };
}
