import { content, file } from '../facts/file.js';
import { packageState, type PackageState } from '../facts/package.js';
import { service, type ServiceState } from '../facts/service.js';
import { compareByPrefix, compareDeb } from '../lib/version.js';
import type { Action, Outcome } from '../terms/action.js';
import { blocked, ok, type Change, type Prediction, type Touch } from '../terms/change.js';
import { need, type FactRef, type Need } from '../terms/fact.js';
import { defineModule, type At, type Judgement } from '../terms/module.js';
import { packageCommands } from './package-commands.js';
import { packageFailure } from './package-failures.js';
import { timeLimitMs } from './time-limit.js';

/** Mirrors schemas/modules/package.schema.json. */
interface Args {
  readonly name: string;
  readonly version: string;
  readonly hold?: boolean;
  readonly allow_downgrade?: boolean;
  readonly conffiles?: 'keep' | 'new';
  readonly restarts?: readonly string[];
  readonly changes?: readonly string[];
  readonly lock_timeout?: string;
  readonly timeout?: string;
}

type Asked = { readonly now: Need<PackageState> } & Readonly<Record<`unit:${string}`, Need<ServiceState>>>;
type Units = Readonly<Record<`unit:${string}`, ServiceState>>;

const TIMEOUT_MS = 3_600_000;
const LOCK_TIMEOUT_MS = 600_000;

/** Every status that apt, dpkg and dnf end with when they were able to say why: `judge` reads what they printed. */
const UNDERSTOOD = [0, 1, 2, 100];

export const packageModule = defineModule<Args>()({
  name: 'package',
  summary: 'Install exactly this version of a package, verify it, and keep it held or not.',
  needs: ({ name, restarts = [] }, { task }): Asked => ({
    now: need(task.on, packageState, name),
    ...Object.fromEntries(restarts.map((unit) => [`unit:${unit}` as const, need(task.on, service, unit)])),
  }),
  touches: (args, at) => touched(args, at),
  decide(args, found, at) {
    const { now } = found;
    const { name, version, hold = now.held, allow_downgrade = false } = args;
    const due = !isWanted(now.installed, version);
    const down = now.installed !== null && compareTo(version, now.installed) < 0;
    if (down && !allow_downgrade)
      return blocked(
        `${name} ${now.installed} is installed, newer than ${version}`,
        'a downgrade must be asked for: allow_downgrade: true',
      );
    const broken = now.installed !== null && now.status[1] !== 'i';
    if (!due && !broken && hold === now.held)
      return ok(`${name} ${now.installed ?? ''} is installed`, now.installed ?? '');
    return { is: 'change', change: change(args, { now, units: found, due, down, broken, hold }, at) };
  },
  judge: (_args, outcome) => judged(outcome),
});

interface Found {
  readonly now: PackageState;
  readonly units: Units;
  readonly due: boolean;
  readonly down: boolean;
  readonly broken: boolean;
  readonly hold: boolean;
}

function change(args: Args, found: Found, at: At): Change {
  const { now, due, broken, hold } = found;
  const after = due ? expected(args.version, now.installed) : now.installed;
  const summary = due
    ? `${args.name} ${now.installed ?? 'absent'} → ${args.version}`
    : `${args.name} ${now.installed ?? ''}: ${[...(broken ? ['finish its half-done configuration'] : []), ...(hold === now.held ? [] : [hold ? 'hold' : 'no longer hold'])].join(', ')}`;
  return {
    summary,
    sign: now.installed === null ? '+' : '~',
    actions: actions(args, found) as [Action, ...Action[]],
    touches: touched(args, at),
    predicts: [
      {
        ref: need(at.task.on, packageState, args.name),
        value: {
          ...now,
          installed: after,
          status: hold && now.manager === 'apt' ? 'hi' : 'ii',
          held: hold,
          changedAtMs: due ? at.timeMs : now.changedAtMs,
        },
      },
      ...(due ? predictRestarts(args, found.units, at) : []),
      ...untold(args, at).map((ref): Prediction => ({ ref, unknown: `what ${args.name} ${args.version} brings` })),
    ],
    undo: undo(args, found, at),
  };
}

function actions(args: Args, { now, due, down, broken, hold }: Found): Action[] {
  const { env, mend, install, hold: setHold } = packageCommands[now.manager];
  const timeoutMs = timeLimitMs(args.timeout, TIMEOUT_MS);
  const lockTimeoutMs = timeLimitMs(args.lock_timeout, LOCK_TIMEOUT_MS);
  const halfInstalled = broken && now.status[1] === 'H';
  const out: Action[] = [];
  if (broken && !halfInstalled && mend !== undefined)
    out.push({ do: 'job', command: { argv: mend, env, timeoutMs }, expect: { exit: UNDERSTOOD } });
  if (due || halfInstalled) {
    const argv = install({
      name: args.name,
      version: args.version,
      down,
      held: now.held,
      again: !due,
      conffiles: args.conffiles ?? 'keep',
      lockTimeoutMs,
    });
    // A disabled repository does not fail: it says this, with status 0.
    out.push({
      do: 'job',
      command: { argv, env, timeoutMs },
      expect: { exit: UNDERSTOOD, notStdout: 'already the newest version|^Nothing to do' },
    });
  }
  // apt forgets a hold that it was allowed to pass over.
  if (hold ? due || !now.held : now.held)
    out.push({ do: 'run', command: { argv: setHold(args.name, hold), env, timeoutMs: 60_000 }, expect: { exit: [0] } });
  return out;
}

function undo({ name, conffiles, restarts, changes }: Args, { now, due, hold }: Found, { task }: At): Change['undo'] {
  if (now.installed === null) return { never: `${name} was not installed before; a package is not removed unasked` };
  if (!due && hold === now.held) return { nothing: 'a package whose configuration was finished stays so' };
  const args = {
    name,
    version: now.installed,
    hold: now.held,
    allow_downgrade: true,
    ...omitEmpty({ conffiles, restarts, changes }),
  };
  return { steps: [{ module: 'package', args, on: task.on }] };
}

const omitEmpty = (o: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(o).filter(([, v]) => v !== undefined));

const touched = (args: Args, at: At): readonly Touch[] => [
  need(at.task.on, packageState, args.name),
  ...(args.restarts ?? []).map((unit) => need(at.task.on, service, unit)),
  ...untold(args, at),
];

/** The files that its writer says it may alter. */
const untold = ({ changes = [] }: Args, { task }: At): readonly FactRef[] =>
  changes.flatMap((path) => [need(task.on, file, path), need(task.on, content, path)]);

/** Maintainer scripts restart a service only if it was active before. */
const predictRestarts = ({ restarts = [] }: Args, units: Units, { task, timeMs }: At): Prediction[] =>
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

/** A version without a revision is met by any revision of it. */
const compareTo = (version: string, installed: string): number =>
  version.includes('-') ? compareDeb(version, installed) : -(compareByPrefix(installed, version) ?? -1);

const isWanted = (installed: string | null, version: string): boolean =>
  installed !== null && compareTo(version, installed) === 0;

/** Where the revision is left to the repository, the best guess is that it keeps counting as it did. */
const expected = (version: string, installed: string | null): string =>
  version.includes('-') ? version : `${version}-${/-([^-]+)$/.exec(installed ?? '')?.[1] ?? '1'}`;

function judged(outcome: Outcome): Judgement {
  if (outcome.is !== 'ended' || outcome.exit === 0) return { is: 'done' };
  const printed = `${outcome.stdout}\n${outcome.stderr}`;
  const last = printed.trim().split('\n').slice(-3).join(' | ');
  return {
    is: 'failed',
    ...(packageFailure(printed) ?? { reason: `the package manager ended with status ${outcome.exit}: ${last}` }),
  };
}
