import { content, file, newDirectory, type FileContent, type FileState } from '../../../../facts/file.js';
import { quote } from '../../../../lib/quote.js';
import type { Action, Outcome } from '../../../../terms/action.js';
import { blocked, ok, type Verdict } from '../../../../terms/change.js';
import { need } from '../../../../terms/fact.js';
import type { At, Judgement } from '../../../../terms/module.js';
import { builtText, recordOf } from './archive.js';
import { pathsOf, pluginTouches } from './paths.js';
import type { Args } from './schema.js';

type Argv = readonly [string, ...string[]];
const TIMEOUT_MS = 600_000;

export const installedNeeds = (args: Args, { task: { on } }: At) => {
  const { plugin, descriptor, removing } = pathsOf(args);
  return {
    wanted: need(on, content, recordOf(args.archive ?? '')),
    found: need(on, content, descriptor),
    plugin: need(on, file, plugin),
    removing: need(on, file, removing),
  };
};

interface Found {
  readonly wanted: FileContent;
  readonly found: FileContent;
  readonly plugin: FileState;
  readonly removing: FileState;
}

/** Neither tool replaces a plug-in: what is there, whole or left by an interrupted removal, is removed first. */
export function decideInstalled(args: Args, { wanted, found, plugin, removing }: Found, at: At): Verdict {
  const { of, name, archive = '' } = args;
  if (wanted === null)
    return blocked(`${archive} is not on the host, or was not read`, 'runbook apply prepare.yaml brings it');
  const [next, before] = [builtText(of, wanted.text), found === null ? 'absent' : builtText(of, found.text)];
  if (next === before && !removing.exists) return ok(`plug-in ${name} is ${next}`);
  const { on } = at.task;
  const paths = pathsOf(args);
  return {
    is: 'change',
    change: {
      summary: `plug-in ${name} ${before} → ${next}`,
      sign: found === null ? '+' : '~',
      actions: [
        clearing(args),
        ...(plugin.exists || removing.exists ? [job(args, ['remove', name])] : []),
        job(args, ['install', ...(of === 'indexer' ? ['--batch'] : []), `file://${archive}`]),
      ],
      touches: pluginTouches(args, at),
      predicts: [
        { ref: need(on, content, paths.descriptor), value: wanted },
        { ref: need(on, file, paths.plugin), value: newDirectory(at.timeMs) },
        { ref: need(on, file, paths.removing), value: { exists: false } },
      ],
    },
  };
}

/** What an interrupted install or copy left: the service would take it for a plug-in, and not start. */
export const clearing = ({ directory = '' }: Args): Action => ({
  do: 'run',
  command: {
    argv: [
      ...['find', directory, '-maxdepth', '1', '(', '-name', '.installing-*', '-o', '-name', '.runbook.*', ')'],
      ...['-exec', 'rm', '-rf', '{}', '+'],
    ] as unknown as Argv,
    timeoutMs: TIMEOUT_MS,
  },
  expect: { exit: [0] },
});

/** Outlives the connection, as a package does: half a plug-in keeps the service from starting. */
const job = ({ tool = [] as unknown as Argv }: Args, args: readonly string[]): Action => ({
  do: 'job',
  command: { argv: [...tool, ...args] as unknown as Argv, timeoutMs: TIMEOUT_MS },
  expect: { exit: [0] },
});

/** The tool prints one line that says what is wrong, often above a stack trace. */
export function toolFailure({ tool = [] as unknown as Argv }: Args, outcome: Outcome, action?: Action): Judgement {
  if (outcome.is !== 'ended' || outcome.exit === 0) return { is: 'done' };
  const lines = `${outcome.stderr}\n${outcome.stdout}`.split('\n').filter((line) => line.trim() !== '');
  const said = lines.find((line) => WORDS.test(line)) ?? lines.at(-1) ?? '';
  const called = action?.do === 'job' ? quote(action.command.argv.slice(tool.length - 1)) : 'find';
  return { is: 'failed', reason: `${called} ended with status ${outcome.exit}: ${said.replace(WORDS, '')}` };
}

/** With which a line of either tool begins that says what is wrong: `ERROR: `, or a Java exception and its class. */
const WORDS = /^(?:ERROR: |Exception in thread "[^"]*" (?:[\w$.]+: )?|(?=Plugin installation was|Unable to remove))/;
