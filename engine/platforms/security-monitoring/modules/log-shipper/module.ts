import { file, type FileState } from '../../../../facts/file.js';
import { probe, type ProbeAnswer } from '../../../../facts/host.js';
import { rotatedLog, type RotatedDay, type RotatedLog } from '../../facts/rotated-log.js';
import { service, type ServiceState } from '../../../../facts/service.js';
import { quote } from '../../../../lib/quote.js';
import type { Action } from '../../../../terms/action.js';
import { blocked, ok, type Change, type Prediction, type Verdict } from '../../../../terms/change.js';
import { done, need, type Done } from '../../../../terms/fact.js';
import { defineModule, type At, type More } from '../../../../terms/module.js';
import { forgetting, lettingGo, linking, remembering, shipping } from './actions.js';
import { judgeOrder, serviceChange } from '../../../../modules/systemctl/change.js';
import { isUp, processes, whatIsDue } from '../../../../modules/systemctl/state.js';
import type { LogShipperArgs } from './schema.js';

interface Found {
  readonly now: ServiceState;
  readonly kept: RotatedLog;
  readonly data: FileState;
  readonly done: Done;
}

/** It knows of a shipper's own memory as much as Filebeat's asks for (§9.4.4). */
export const logShipper = defineModule<LogShipperArgs>()({
  name: 'log-shipper',
  needs: ({ unit, log }, { task }) => ({
    now: need(task.on, service, unit),
    kept: need(task.on, rotatedLog, log),
    data: need(task.on, file, log.data),
    done: need(task.on, done, ''),
  }),
  touches: ({ unit, log }, { task }) => [need(task.on, service, unit), need(task.on, rotatedLog, log)],
  leavesActive: ({ unit, state }) => (state === 'shipped' ? {} : { [unit]: state === 'started' }),
  decide(args, found, at, more) {
    if (found.now.load === 'not-found')
      return blocked(`there is no unit ${args.unit}`, 'is the package installed, and the name right?');
    return args.state === 'stopped' ? decideStopped(args, found, at, more) : decideShipped(args, found, at);
  },
  judge: (args, outcome, action) => {
    const argv = action?.do === 'run' || action?.do === 'job' ? action.command.argv : [];
    if (argv[0] === 'systemctl')
      return judgeOrder({ unit: args.unit, state: argv[1] === 'stop' ? 'stopped' : 'started' }, outcome);
    if (outcome.is !== 'ended' || outcome.exit === 0) return { is: 'done' };
    const said = `${outcome.stdout}\n${outcome.stderr}`.trim().split('\n').at(-1) ?? '';
    return {
      is: 'failed',
      reason: `${quote(argv)} ended with status ${outcome.exit}: ${said}`,
      hint: `what was not shipped stays in ${args.log.directory}; runbook resume or runbook close ships it`,
    };
  },
});

const isRunning = (now: ServiceState): boolean => isUp(now) || now.active === 'activating';
const isRotated = ({ log, kept }: RotatedLog): boolean => kept !== null && kept !== log;

/**
 * A shipper that runs reads whatever is rotated by itself, so the log is kept anew with each stop; what an earlier stop kept is shipped
 * first. Of a shipper that was stopped by hand the log is kept once: what a later step released is not wanted again.
 */
function decideStopped(args: LogShipperArgs, found: Found, at: At, more?: More): Verdict {
  const { now, kept, data } = found;
  if (isRunning(now))
    return isRotated(kept) && kept.data ? temporaryIndex(args, found, at, more) : stopping(args, found, at);
  if (now.processes > 0 || now.active === 'deactivating')
    return { is: 'waiting', for: `${processes(now.processes)} of ${args.unit} to end` };
  if (kept.data && kept.kept !== null) return ok(`${args.unit} is stopped, and ${args.log.file} kept`);
  if (kept.kept === null && (kept.log === null || found.done.is === 'done')) return ok(`${args.unit} is stopped`);
  return {
    is: 'change',
    change: {
      summary: `${args.log.file} kept: ${args.unit} is stopped`,
      sign: '+',
      actions: some([
        ...(kept.kept === null ? [...(kept.data ? lettingGo(args) : []), ...linking(args)] : []),
        ...remembering(args, data.exists),
      ]),
      touches: [need(at.task.on, rotatedLog, args.log)],
      predicts: [predict(args, at, { ...kept, kept: kept.kept ?? kept.log, data: true })],
    },
  };
}

/** Where nothing can be shipped now, the stop does not wait for it: a later step of the run may fix the cause. */
function temporaryIndex(args: LogShipperArgs, found: Found, at: At, more?: More): Verdict {
  const { directory, file: log, test } = args.log;
  if (more === undefined) return { is: 'more', needs: { output: need(at.task.on, probe, { argv: test }) } };
  if ((more['output'] as unknown as ProbeAnswer).exit === 0) return stopping(args, found, at);
  const stop = order(args, found.now, 'stopped', at);
  return {
    is: 'change',
    change: {
      ...stop,
      summary: `${stop.summary}, ${directory} stays as it is`,
      warnings: [
        `the rest of the rotated ${log} cannot be shipped now (${quote(test)} fails): it stays in ${directory}, and is shipped when ${args.unit} starts again. After another log rotation before that, what was shipped of this day is shipped twice`,
      ],
    },
  };
}

function stopping(args: LogShipperArgs, { now, kept, data }: Found, at: At): Verdict {
  const stop = order(args, now, 'stopped', at);
  const toShip = isRotated(kept) && kept.data;
  const hold = kept.log !== null;
  return {
    is: 'change',
    change: {
      ...stop,
      summary: `${toShip ? `${shippedWords(args, kept.days)}, ` : ''}${stop.summary}${hold ? `, ${args.log.file} kept` : ''}`,
      actions: some([
        ...(toShip ? shipping(args, kept.days) : []),
        ...(kept.data || kept.kept !== null ? lettingGo(args) : []),
        // Before the stop: whatever log rotation makes of the log, its end can be read.
        ...(hold ? linking(args) : []),
        ...stop.actions,
        ...(hold ? remembering(args, data.exists) : []),
      ]),
      touches: [...stop.touches, need(at.task.on, rotatedLog, args.log)],
      predicts: [...stop.predicts, predict(args, at, { log: kept.log, kept: kept.log, data: hold, days: [] })],
      ...(toShip ? missing(kept.days) : {}),
    },
  };
}

/**
 * What was kept and rotated since is shipped beside the shipper, by what that knew when it was stopped: whether it runs again, and since
 * when, makes no difference. What was not rotated it goes on with by itself.
 */
function decideShipped(args: LogShipperArgs, { now, kept, data }: Found, at: At): Verdict {
  const isKept = kept.kept !== null;
  const start = args.state === 'started' && !isRunning(now) ? order(args, now, 'started', at) : undefined;
  if (!isKept && start === undefined) return nothingKept(args, now);
  const toShip = isRotated(kept) && (kept.data || !isRunning(now));
  return {
    is: 'change',
    change: {
      summary: [
        start?.summary ?? [],
        when(toShip, [shippedWords(args, kept.days)]),
        when(isKept && !toShip, [`${args.log.file} no longer kept`]),
      ]
        .flat()
        .join(', '),
      sign: start === undefined && !toShip ? '-' : '↻',
      actions: some([
        // Cut between the stop and the copy of what it knew, it knows that still; one that was started since has read the log's end.
        ...when(toShip && !kept.data, remembering(args, data.exists)),
        ...when(isKept && !toShip && start !== undefined, forgetting(args)),
        ...(start?.actions ?? []),
        ...when(toShip, shipping(args, kept.days)),
        ...when(isKept, lettingGo(args)),
      ]),
      touches: [...(start?.touches ?? []), need(at.task.on, rotatedLog, args.log)],
      predicts: [...(start?.predicts ?? []), predict(args, at, { log: kept.log, kept: null, data: false, days: [] })],
      ...(start?.starts === undefined ? {} : { starts: start.starts }),
      ...(toShip ? missing(kept.days) : {}),
    },
  };
}

const when = <T>(holds: boolean, items: readonly T[]): readonly T[] => (holds ? items : []);

const nothingKept = ({ unit, state, log }: LogShipperArgs, now: ServiceState): Verdict =>
  state === 'started' && !isUp(now)
    ? { is: 'waiting', for: `${unit} to be active: it is ${now.active} (${now.sub})` }
    : ok(`nothing of ${log.file} is kept`);

/** `the rest of the rotated /x/alerts.json shipped, and all of 2026-11-22` */
function shippedWords({ log }: LogShipperArgs, days: readonly RotatedDay[]): string {
  const whole = days.flatMap(({ day, is }) => (is === 'missing' ? [] : [day]));
  return `the rest of the rotated ${log.file} shipped${whole.length === 0 ? '' : `, and all of ${whole.join(', ')}`}`;
}

const missing = (days: readonly RotatedDay[]): Pick<Change, 'warnings'> => ({
  warnings: days.flatMap(({ day, is, file: path }) =>
    is === 'missing'
      ? [
          `nothing of ${day} was shipped: there is neither ${path} nor ${path}.gz. Where that day's log lies elsewhere, ship it yourself`,
        ]
      : [],
  ),
});

const order = ({ unit }: LogShipperArgs, now: ServiceState, state: 'stopped' | 'started', at: At): Change =>
  serviceChange({ unit, state }, now, whatIsDue({ unit, state }, now, NOTHING_FURTHER), at);
const NOTHING_FURTHER = { changedSince: () => false, isReady: () => true };

const predict = ({ log }: LogShipperArgs, { task }: At, value: RotatedLog): Prediction => ({
  ref: need(task.on, rotatedLog, log),
  value: { ...value, days: value.days.map((day) => ({ ...day })) },
});

function some(actions: readonly Action[]): Change['actions'] {
  const [first, ...rest] = actions;
  if (first === undefined) throw new Error('a change without an action');
  return [first, ...rest];
}
