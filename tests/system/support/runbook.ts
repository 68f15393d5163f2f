import { join } from 'node:path';
import type { Event, Recorded } from '../../../engine/terms/event.js';
import { keepEvidence } from '../../specification/keep.js';
import { spawnAlone, spawnAtTerminal } from './spawned.js';

/** What one run of the program left. `events` is empty without `--json`. */
export interface Ran {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly events: readonly Recorded[];
  readonly tookMs: number;
}

export interface RunbookOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Another program than `runbook` as it is shipped. */
  readonly program?: string;
  /** What starts the program instead, as another user in a network namespace. It becomes the program, so that signals reach that. */
  readonly through?: readonly string[];
  /** Called for each event of `--json` as it arrives. */
  readonly onEvent?: (recorded: Recorded) => void;
  /** What is typed at a terminal at each question. Without it there is no terminal. */
  readonly answer?: string;
}

/** A run under way: `kill` is `kill -9`; between `pause` and `goOn` it does nothing at all. */
export interface Running {
  readonly done: Promise<Ran>;
  kill(): void;
  /** Ctrl-C. */
  interrupt(): void;
  pause(): void;
  goOn(): void;
}

/** The built program; `RUNBOOK_PROGRAM` names another one to try, such as an installed one. */
const program = (): string =>
  process.env['RUNBOOK_PROGRAM'] ?? join(import.meta.dirname, '..', '..', '..', 'dist', 'cli', 'main.js');

/** Runs the real command line to its end. */
export const runbook = (args: readonly string[], options: RunbookOptions = {}): Promise<Ran> =>
  start(args, options).done;

/** Starts it. */
export function start(args: readonly string[], options: RunbookOptions = {}): Running {
  const startedMs = performance.now();
  const argv = [...(options.through ?? [process.execPath, options.program ?? program()]), ...args];
  const about = {
    env: { ...process.env, NO_COLOR: '1', ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  };
  const { child, output, errors, signal } =
    options.answer === undefined ? spawnAlone(argv, about) : spawnAtTerminal(argv, options.answer, about);
  const out = collect(output, (line) =>
    take(line, events, (recorded) => {
      keepEvidence(recorded.event, args[0] === 'plan' ? 'plan' : 'apply');
      options.onEvent?.(recorded);
    }),
  );
  const err = collect(errors);
  const events: Recorded[] = [];
  const done = new Promise<Ran>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      resolve({ exit: code ?? -1, stdout: out(), stderr: err(), events, tookMs: performance.now() - startedMs });
    });
  });
  const send = (name: NodeJS.Signals) => (): void => {
    signal(name);
  };
  return { done, kill: send('SIGKILL'), interrupt: send('SIGINT'), pause: send('SIGSTOP'), goOn: send('SIGCONT') };
}

/** The events of one kind, in order. */
export const eventsOf = <E extends Event['e']>(ran: Ran, kind: E): readonly Extract<Event, { e: E }>[] =>
  ran.events.flatMap(({ event }) => (event.e === kind ? [event as Extract<Event, { e: E }>] : []));

/** What a failed run said, for the message of an expectation. */
export function tellOf(ran: Ran): string {
  const bad = ran.events.flatMap(({ event }) =>
    event.e === 'run-ended' ||
    event.e === 'host-lost' ||
    (event.e === 'settled' && event.as !== 'ok' && event.as !== 'done')
      ? [JSON.stringify(event)]
      : [],
  );
  const out = ran.events.length > 0 ? '' : ran.stdout.slice(-4000);
  return [`exit ${ran.exit} after ${Math.round(ran.tookMs / 1000)} s`, ...bad, out, ran.stderr.slice(-4000)].join('\n');
}

function collect(stream: NodeJS.ReadableStream, onLine?: (line: string) => void): () => string {
  let text = '';
  let seen = 0;
  stream.setEncoding('utf8');
  stream.on('data', (part: string) => {
    text += part;
    for (let end = text.indexOf('\n', seen); end !== -1; end = text.indexOf('\n', seen)) {
      onLine?.(text.slice(seen, end));
      seen = end + 1;
    }
  });
  return () => text;
}

/** One line of NDJSON; the first one names the format, and what is no JSON is a view for people. */
function take(line: string, events: Recorded[], onEvent?: (recorded: Recorded) => void): void {
  if (!line.startsWith('{')) return;
  const parsed = JSON.parse(line) as Partial<Recorded>;
  if (parsed.event === undefined) return;
  events.push(parsed as Recorded);
  onEvent?.(parsed as Recorded);
}
