import { service, type ServiceState } from '../../facts/service.js';
import type { Action, Outcome } from '../../terms/action.js';
import type { Change } from '../../terms/change.js';
import { done, need, type Need } from '../../terms/fact.js';
import type { At, Judgement } from '../../terms/module.js';
import { taskKey } from '../../terms/task.js';
import { predictReady, readiness } from './ready.js';
import { BEFORE, isUp, type Due } from './state.js';
import { timeLimitMs } from '../shared/time-limit.js';
import type { SystemctlArgs } from './schema.js';

/** How long systemd may take to order one thing. */
export const TIMEOUT_MS = 300_000;

/** What is ordered of systemd, in order, and what it makes of the unit. */
export function serviceChange(args: SystemctlArgs, now: ServiceState, due: Due, at: At): Change {
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
    touches: serviceTouches(args, at),
    predicts: [
      { ref: need(at.task.on, service, unit), value: { ...predicted(now, due, at.timeMs) } },
      ...(args.state === 'restarted'
        ? [{ ref: need(at.task.on, done, taskKey(at.task)), value: { is: 'done', value: null } }]
        : []),
      ...(due.act === undefined ? [] : predictReady(ready, due.act !== 'stop', at)),
    ],
    ...(due.act === 'start' ? { starts: true as const } : {}),
    ...(args.state === 'restarted' ? { marks: { [BEFORE]: need(at.task.on, service, unit) } } : {}),
    ...(due.act === undefined || due.because === undefined
      ? {}
      : { notConverged: notConverged(unit, due.act, due.because) }),
  };
}

export const serviceTouches = ({ unit, state, ready }: SystemctlArgs, { task }: At): readonly Need[] => [
  need(task.on, service, unit),
  ...(state === 'restarted' ? [need(task.on, done, taskKey(task))] : []),
  ...Object.values(readiness(ready, task.on)),
];

/** `nginx: active, but no process is left, after a restart too` */
const notConverged = (unit: string, act: string, because: string): NonNullable<Change['notConverged']> => ({
  reason: `${unit}: ${because}, after a ${act} too`,
  hint: { look: `its own log, and journalctl -u ${unit} -n 50` },
});

const WORDS = { start: 'starts', restart: 'restarts', stop: 'stops' } as const;

function actions({ unit, timeout }: SystemctlArgs, now: ServiceState, due: Due): Action[] {
  const run = (...argv: readonly [string, ...string[]]): Action => ({
    do: 'run',
    command: { argv: ['systemctl', ...argv], timeoutMs: timeLimitMs(timeout, TIMEOUT_MS) },
    expect: { exit: [0] },
  });
  const starts = due.act === 'start' || due.act === 'restart';
  return [
    ...(due.reload ? [run('daemon-reload')] : []),
    // A unit that failed too often would refuse to start until it is forgiven.
    ...(starts && now.active === 'failed' ? [run('reset-failed', unit)] : []),
    ...(due.enable === undefined ? [] : [run(due.enable ? 'enable' : 'disable', unit)]),
    ...(due.act === undefined ? [] : [run(due.act, unit)]),
  ];
}

function predicted(now: ServiceState, due: Due, timeMs: number): ServiceState {
  const enabled = due.enable === undefined ? now.enabled : due.enable ? 'enabled' : 'disabled';
  const base = {
    ...now,
    load: now.load === 'masked' ? now.load : ('loaded' as const),
    enabled,
    needsReload: now.needsReload && !due.reload,
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

/** What systemd said of an order. */
export function judgeOrder({ unit, state }: SystemctlArgs, outcome: Outcome): Judgement {
  if (outcome.is !== 'ended' || outcome.exit === 0) return { is: 'done' };
  const said = (outcome.stderr.trim().split('\n')[0] ?? '').replace(/^Job for \S+ failed because /, '');
  return {
    is: 'failed',
    reason:
      state === 'started' || state === 'restarted'
        ? `${unit} did not start: ${said}`
        : `systemctl ended with status ${outcome.exit}: ${said}`,
    hint: { look: `journalctl -u ${unit} -n 50` },
  };
}
