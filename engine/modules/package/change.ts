import { packageState, type PackageState } from '../../facts/package.js';
import { service, type ServiceState } from '../../facts/service.js';
import type { Action } from '../../terms/action.js';
import type { Change, Prediction, Touch } from '../../terms/change.js';
import { need } from '../../terms/fact.js';
import type { At, More } from '../../terms/module.js';
import { packageCommands, type Argv } from './commands.js';
import { changedFiles, fileTouches } from './files.js';
import { expectedVersion } from './version.js';
import { timeLimitMs } from '../shared/time-limit.js';
import type { PackageArgs } from './schema.js';

const TIMEOUT_MS = 3_600_000;
const LOCK_TIMEOUT_MS = 600_000;
/** dnf may fetch what its repositories offer before it locks a version. */
const HOLD_TIMEOUT_MS = 300_000;

type Units = Readonly<Record<`unit:${string}`, ServiceState>>;

/** The mark of an intent: the package as it was. */
export const BEFORE = 'before';

/** What was found, and what of it is not as wanted. */
interface Found {
  readonly now: PackageState;
  readonly units: Units;
  readonly due: boolean;
  readonly down: boolean;
  readonly broken: boolean;
  /** Was it held when this step began? */
  readonly held: boolean;
  readonly hold: boolean;
  /** Its file on the host, where it was staged. */
  readonly file: () => string | null;
  /** What its file brings, where it was staged, and what stands there; by the names of `filesNeeds`. */
  readonly brings?: More;
}

/** One transaction, the hold put back after it, and what the package and the units of its scripts will read. */
export function packageChange(args: PackageArgs, found: Found, at: At): Change {
  const { now, due, broken, hold } = found;
  const after = due ? expectedVersion(args.version, now.installed) : now.installed;
  const files = due || broken ? changedFiles(args, found.brings, at) : { touches: [], predicts: [] };
  const { interrupted, ...completed } = now;
  const summary = due
    ? `${args.name} ${now.installed ?? 'absent'} → ${args.version}${interrupted === true ? ', after an interrupted dpkg' : ''}`
    : `${args.name} ${now.installed ?? ''}: ${[...(broken ? ['finish its half-done configuration'] : []), ...(hold === now.held ? [] : [hold ? 'hold' : 'no longer hold'])].join(', ')}`;
  return {
    summary,
    sign: now.installed === null ? '+' : '~',
    actions: actions(args, found) as [Action, ...Action[]],
    touches: [...ownTouches(args, at), ...files.touches],
    predicts: [
      {
        ref: need(at.task.on, packageState, args.name),
        value: {
          ...completed,
          installed: after,
          status: hold && now.manager === 'apt' ? 'hi' : 'ii',
          held: hold,
          changedAtMs: due ? at.timeMs : now.changedAtMs,
        },
      },
      ...(due ? predictRestarts(args, found.units, at) : []),
      ...files.predicts,
    ],
    marks: { [BEFORE]: need(at.task.on, packageState, args.name) },
  };
}

/** What says, with status 0, that nothing was done (a disabled repository), or that a script of the package's failed (RPM goes on). */
const NO_SUCCESS = 'already the newest version|^Nothing to do|scriptlet failed, exit status';

function actions(args: PackageArgs, found: Found): Action[] {
  const { now, due, down, broken, hold } = found;
  const { env, configure, takeJournal, install } = packageCommands[now.manager];
  const timeoutMs = timeLimitMs(args.timeout, TIMEOUT_MS);
  const again = !due && broken && (configure === undefined || isInPart(now));
  const out: Action[] = [];
  const before = (argv: Argv | undefined): void => {
    if (argv !== undefined) out.push({ do: 'job', command: { argv, env, timeoutMs }, expect: { exit: [0] } });
  };
  if (!due && !again && broken) before(configure);
  if (due || again) {
    if (now.interrupted === true) before(takeJournal);
    const argv = install({
      name: args.name,
      version: args.version,
      down,
      held: now.held,
      hold,
      again,
      conffiles: args.conffiles ?? 'keep',
      lockTimeoutMs: timeLimitMs(args.lock_timeout, LOCK_TIMEOUT_MS),
      ...fileOf(found),
    });
    out.push({ do: 'job', command: { argv, env, timeoutMs }, expect: { exit: [0], notStdout: NO_SUCCESS } });
  }
  return [...out, ...holds(args, found, due || again)];
}

/** Some of its files are of another version: dpkg's state `H`, or its flag `R`, for "must be installed once more". */
const isInPart = ({ status }: PackageState): boolean => status[1] === 'H' || status[2] === 'R';

const fileOf = ({ file }: Found): { readonly file?: string } => {
  const path = file();
  return path === null ? {} : { file: path };
};

function holds({ name, version }: PackageArgs, { now, due, hold }: Found, installs: boolean): Action[] {
  const { env, hold: commands } = packageCommands[now.manager];
  // The same version again has no earlier lock: the new one would be removed.
  const before = due ? now.installed : null;
  return commands({ name, version, before, was: now.held, wanted: hold, installs }).map((argv) => ({
    do: 'run',
    command: { argv, env, timeoutMs: HOLD_TIMEOUT_MS },
    // A version lock on nothing is no error to those who make it.
    expect: { exit: [0], notStdout: '^No package found for' },
  }));
}

export const packageTouches = (args: PackageArgs, at: At): readonly Touch[] => [
  ...ownTouches(args, at),
  ...fileTouches(args.changes ?? [], at),
];

const ownTouches = (args: PackageArgs, at: At): readonly Touch[] => [
  need(at.task.on, packageState, args.name),
  ...(args.restarts ?? []).map((unit) => need(at.task.on, service, unit)),
];

/** Maintainer scripts restart a service only if it was active before. */
const predictRestarts = ({ restarts = [] }: PackageArgs, units: Units, { task, timeMs }: At): Prediction[] =>
  restarts.flatMap((unit) => {
    const before = units[`unit:${unit}`];
    return before === undefined
      ? []
      : [
          {
            ref: need(task.on, service, unit),
            value: before.active === 'active' ? { ...before, startedAtMs: timeMs, needsReload: false } : { ...before },
          },
        ];
  });
