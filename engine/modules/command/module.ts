import { file, type FileState } from '../../facts/file.js';
import { probe, type ProbeAnswer } from '../../facts/host.js';
import { compilePattern } from '../../lib/pattern.js';
import { quote } from '../../lib/quote.js';
import type { Action } from '../../terms/action.js';
import { blocked, ok, type Prediction, type Touch, type Verdict } from '../../terms/change.js';
import { done, need, type Done, type FactRef, type Need } from '../../terms/fact.js';
import { defineModule, type At } from '../../terms/module.js';
import { lastLines } from '../shared/lines.js';
import { masked } from '../shared/mask.js';
import { matches } from '../shared/pattern.js';
import { pathTouches } from '../shared/text-file.js';
import { settledBefore } from '../shared/thing-done.js';
import { timeLimitMs } from '../shared/time-limit.js';
import type { Args } from './schema.js';

/** Which of them are asked hangs on the arguments. */
interface Asked {
  readonly [name: string]: Need;
  readonly answer: Need<ProbeAnswer>;
  readonly done: Need<Done>;
  readonly creates: Need<FileState>;
  readonly unless: Need<ProbeAnswer>;
}

const PROBE_TIMEOUT_MS = 60_000;

export const command = defineModule<Args>()({
  name: 'command',
  needs: (args, { task }) =>
    (args.changes === 'nothing'
      ? { answer: answerTo(args, task.on) }
      : { done: need(task.on, done, ''), ...guards(args, task.on) }) as unknown as Asked,
  touches: (args, at) => touched(args, at),
  alters: ({ changes }) => listOf(changes).filter((name) => !isPath(name)),
  decide(args, found, at) {
    if (args.changes === 'nothing') return decideReading(args, found.answer);
    const satisfied = alreadySo(args, found);
    if (satisfied !== undefined) return ok(satisfied, found.done.is === 'done' ? found.done.value : undefined);
    if (found.done.is === 'done' && (args.creates !== undefined || args.unless !== undefined))
      return blocked(
        `${shownCommand(args)} ended well, but ${args.creates === undefined ? 'what `unless` asks is still not so' : `there is no ${args.creates}`}`,
      );
    // A guard that says "not done" is evidence enough to do it, even after a cut.
    const mayRepeat = args.repeatable === true || args.creates !== undefined || args.unless !== undefined;
    return settledBefore(found.done, shownCommand(args), mayRepeat) ?? change(args, at);
  },
});

const shownCommand = ({ argv }: Args): string => masked(quote(argv));

function decideReading(args: Args, { exit, stdout, stderr = '' }: ProbeAnswer): Verdict {
  const said = `${shownCommand(args)} ended with status ${exit}`;
  if (args.stdin !== undefined || args.become !== undefined)
    return blocked(
      'a command that changes nothing takes neither standard input nor another user',
      'leave `stdin` and `become` out, or say what it changes',
    );
  const first = lastLines(stdout);
  if (!(args.exit ?? [0]).includes(exit)) {
    const why = lastLines(`${stdout}\n${stderr}`);
    return blocked(`${said}${why === '' ? '' : `: ${why}`}`);
  }
  if (args.expect !== undefined && !matches(args.expect, stdout))
    return blocked(`${said}, but does not say "${args.expect}"${first === '' ? '' : `: ${first}`}`);
  const forbidden = args.reject === undefined ? null : compilePattern(args.reject).exec(stdout);
  return forbidden === null ? ok(said, { exit, stdout }) : blocked(`${said}, but says "${forbidden[0]}"`);
}

/** Why it need not run: what it makes is there, or what it brings about is so. */
function alreadySo(
  { creates, unless }: Args,
  found: { readonly creates?: FileState; readonly unless?: ProbeAnswer },
): string | undefined {
  if (creates !== undefined && found.creates?.exists === true) return `${creates} is there`;
  if (unless === undefined || found.unless?.exit !== 0) return undefined;
  return unless.stdout === undefined || matches(unless.stdout, found.unless.stdout)
    ? `${masked(quote(unless.argv))} says so`
    : undefined;
}

function change(args: Args, at: At): Verdict {
  const { argv, stdin, env, become, exit = [0], expect, reject, timeout } = args;
  const action: Action = {
    do: 'run',
    command: {
      argv,
      timeoutMs: timeLimitMs(timeout, PROBE_TIMEOUT_MS),
      ...(stdin === undefined ? {} : { stdin }),
      ...(env === undefined ? {} : { env }),
      ...(become === undefined ? {} : { become }),
    },
    expect: {
      exit,
      ...(expect === undefined ? {} : { stdout: expect }),
      ...(reject === undefined ? {} : { notStdout: reject }),
    },
  };
  const unknown = `what ${argv[0]} makes of it`;
  return {
    is: 'change',
    change: {
      summary: shownCommand(args),
      sign: '↻',
      actions: [action],
      touches: touched(args, at),
      predicts: altered(args, at).map((ref): Prediction => ({ ref, unknown })),
    },
  };
}

const touched = (args: Args, at: At): readonly Touch[] => [
  ...(args.changes === 'everything' ? [{ of: at.task.on, everything: true } as const] : []),
  ...altered(args, at),
];

/** The facts that it is known to alter; `everything` takes in whatever else. */
function altered({ changes, creates, unless }: Args, { task }: At): readonly FactRef[] {
  if (changes === 'nothing') return [];
  const paths = [...new Set([...listOf(changes).filter(isPath), ...(creates === undefined ? [] : [creates])])];
  return [
    ...paths.flatMap((path) => pathTouches(task.on, path)),
    ...(unless === undefined ? [] : [guards({ unless }, task.on)['unless'] as FactRef]),
  ];
}

const listOf = (changes: Args['changes']): readonly string[] => (typeof changes === 'string' ? [] : changes);
const isPath = (name: string): boolean => name.startsWith('/');

const guards = (
  { creates, unless }: Pick<Args, 'creates' | 'unless'>,
  on: At['task']['on'],
): Readonly<Record<string, Need>> => ({
  ...(creates === undefined ? {} : { creates: need(on, file, creates) }),
  ...(unless === undefined ? {} : { unless: need(on, probe, { argv: unless.argv, timeoutMs: PROBE_TIMEOUT_MS }) }),
});

/** A probe has no environment of its own: env(1) gives it one. */
const answerTo = ({ argv, env, timeout }: Args, on: At['task']['on']): Need<ProbeAnswer> =>
  need(on, probe, {
    argv: env === undefined ? argv : ['env', ...Object.entries(env).map(([k, v]) => `${k}=${v}`), ...argv],
    timeoutMs: timeLimitMs(timeout, PROBE_TIMEOUT_MS),
    errors: true,
  });
