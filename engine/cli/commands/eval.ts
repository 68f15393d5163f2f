import { parseExpression } from '../../expressions/parse.js';
import { didYouMean } from '../options/did-you-mean.js';
import { evalView } from '../../report/checks/eval-view.js';
import { inspectExpression, type Inspection } from '../../run/facts/inspect-expression.js';
import { checkTyped } from '../eval-check.js';
import { evaluationOf } from '../eval-result.js';
import { EXIT, invalid, Refusal } from '../options/exit.js';
import { parseFlags, type Flags } from '../options/flags.js';
import { openDoors } from '../run/doors.js';
import { terminalOf } from '../terminal/terminal.js';
import { loadPlatform, type LoadedPlatform } from '../options/project.js';
import { openSession } from '../run/session.js';
import { writeJson, writeVersion } from '../terminal/sinks.js';

/** `runbook eval EXPRESSION`: its value and type, and where each name in it comes from. It reads what a plan reads, and changes nothing. */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags('eval', argv);
  const [text, ...more] = flags.positionals;
  if (text === undefined) throw invalid("an expression is missing; example: runbook eval --host NAME 'host.roles'");
  if (more.length > 0) throw invalid('eval takes one expression; put it in single quotes');
  refuseMistakes(checkTyped(text));
  const loaded = await loadPlatform(flags, text);
  const unknownHost = flags.host === undefined ? undefined : mistakeInHost(loaded, flags.host);
  if (unknownHost !== undefined) throw invalid(unknownHost);
  refuseMistakes(checkTyped(text, loaded.value, flags.host));
  return evaluateNow(text, loaded, flags);
}

function refuseMistakes(mistakes: string | undefined): void {
  if (mistakes !== undefined) throw new Refusal(EXIT.invalid, `${mistakes}\n`);
}

function mistakeInHost({ value: { inventory } }: LoadedPlatform, host: string): string | undefined {
  const names = inventory.hosts.map(({ name }) => name);
  if (names.includes(host)) return undefined;
  return `--host: there is no host "${host}"${names.length === 0 ? '; -i names an inventory' : didYouMean(host, names)}`;
}

async function evaluateNow(text: string, loaded: LoadedPlatform, flags: Flags): Promise<number> {
  const project = loaded.value;
  const parsed = parseExpression(text);
  if (!parsed.ok) throw new Error('the expression has been parsed before');
  const doors = await openDoors({ project, flags });
  try {
    const session = await openSession({ project, flags: { ...flags, json: false }, verb: 'plan', doors });
    const { run } = session;
    const inspection = await Promise.race([
      inspectExpression(run, parsed, flags.host),
      interrupted(run.signal),
    ]).finally(() => session.close());
    if (inspection === undefined) return EXIT.interrupted;
    print(text, inspection, { loaded, flags, redact: (shown) => doors.secrets.redact(shown) });
    return exitFor(inspection);
  } finally {
    await doors.close();
  }
}

/** Resolves at the first Ctrl-C: nothing that was begun needs an end. */
const interrupted = (signal: AbortSignal | undefined): Promise<undefined> =>
  new Promise((resolve) => signal?.addEventListener('abort', () => resolve(undefined)));

interface Printing {
  readonly loaded: LoadedPlatform;
  readonly flags: Flags;
  readonly redact: (text: string) => string;
}

function print(text: string, inspection: Inspection, { loaded, flags, redact }: Printing): void {
  const evaluation = evaluationOf(text, inspection, { host: flags.host, placeOf: loaded.placeOf, redact });
  if (flags.json) {
    writeVersion('runbook-eval');
    writeJson(evaluation);
  } else process.stdout.write(`${evalView(evaluation, terminalOf(process.stdout))}\n`);
}

/** What is unknown because a host or an endpoint did not answer may be known another time. */
function exitFor({ outcome, unreachable }: Inspection): number {
  if (outcome.is === 'value') return EXIT.done;
  if (outcome.is === 'wrong') return EXIT.invalid;
  return unreachable.length > 0 ? EXIT.unreachable : EXIT.failed;
}
