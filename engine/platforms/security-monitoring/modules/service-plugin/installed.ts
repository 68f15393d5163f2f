import { posix } from 'node:path';
import { content, file, newDirectory, type FileContent, type FileState } from '../../../../facts/file.js';
import { contentOf } from '../../../../modules/shared/text-file.js';
import { quote } from '../../../../lib/quote.js';
import type { Action, Outcome } from '../../../../terms/action.js';
import { blocked, ok, type Verdict } from '../../../../terms/change.js';
import { need } from '../../../../terms/fact.js';
import type { At, Judgement } from '../../../../terms/module.js';
import { builtText, installedRecord, recordOf } from './archive.js';
import { pathsOf, pluginTouches } from './paths.js';
import type { Args } from './schema.js';

type Argv = readonly [string, ...string[]];
const TIMEOUT_MS = 600_000;

export const installedNeeds = (args: Args, { task: { on } }: At) => {
  const { archive = '' } = args;
  const { descriptor, removing } = pathsOf(args);
  return {
    archived: need(on, file, archive),
    wanted: need(on, content, recordOf(archive)),
    last: need(on, content, installedRecord(archive)),
    found: need(on, content, descriptor),
    removing: need(on, file, removing),
  };
};

interface Found {
  readonly archived: FileState;
  readonly wanted: FileContent;
  readonly last: FileContent;
  readonly found: FileContent;
  readonly removing: FileState;
}

export function decideInstalled(args: Args, { archived, wanted, last, found, removing }: Found, at: At): Verdict {
  const { of, name, archive = '' } = args;
  if (wanted === null || !archived.exists || archived.sha256 === undefined)
    return blocked(`${archive} is not on the host, or was not read`, 'runbook apply prepare.yaml brings it');
  const [next, before] = [builtText(of, wanted.text), found === null ? 'absent' : builtText(of, found.text)];
  const isOtherBuild = last !== null && last.text !== archived.sha256;
  if (next === before && !isOtherBuild && !removing.exists) return ok(`plug-in ${name} is ${next}`);
  const { on } = at.task;
  const paths = pathsOf(args);
  return {
    is: 'change',
    change: {
      summary: `plug-in ${name} ${before} → ${next}${next === before && isOtherBuild ? ', another build' : ''}`,
      sign: found === null ? '+' : '~',
      actions: [
        removal(args),
        install(args),
        {
          do: 'write',
          path: installedRecord(archive),
          content: archived.sha256,
          replaces: last?.sha256 ?? 'nothing',
          mode: '0644',
        },
      ],
      touches: pluginTouches(args, at),
      predicts: [
        { ref: need(on, content, paths.descriptor), value: wanted },
        { ref: need(on, file, paths.plugin), value: newDirectory(at.timeMs) },
        { ref: need(on, file, paths.removing), value: { exists: false } },
        { ref: need(on, content, installedRecord(archive)), value: contentOf(Buffer.from(archived.sha256)) },
      ],
    },
  };
}

/** What an interrupted install or copy left: the service would take it for a plug-in, and not start. */
export const clearing = ({ directory = '' }: Args): Action => removeNamed([directory], LEFT);

const LEFT = ['.installing-*', '.runbook.*'];

/**
 * Neither tool replaces a plug-in. The tool's own removal fails for files of root, which the user of the service cannot remove, and for
 * half a plug-in, as a killed removal leaves it.
 */
function removal({ of, name, directory = '', tool = [] as unknown as Argv }: Args): Action {
  const programs = of === 'indexer' ? [posix.dirname(tool.at(-1) ?? '')] : [];
  return removeNamed([directory, ...programs], [...LEFT, `.removing-${name}`], name);
}

/** `directoryName` is only removed where it is no file: beside the programs of the service there may be one of that name. */
const removeNamed = (directories: readonly string[], names: readonly string[], directoryName?: string): Action => ({
  do: 'run',
  command: {
    argv: [
      ...['find', ...directories, '-maxdepth', '1', '('],
      ...names.flatMap((name, i) => [...(i === 0 ? [] : ['-o']), '-name', name]),
      ...(directoryName === undefined ? [] : ['-o', '!', '-type', 'f', '-name', directoryName]),
      ...[')', '-exec', 'rm', '-rf', '{}', '+'],
    ] as unknown as Argv,
    timeoutMs: TIMEOUT_MS,
  },
  expect: { exit: [0] },
});

/** Outlives the connection, as a package does: half a plug-in keeps the service from starting. */
const install = ({ of, archive = '', tool = [] as unknown as Argv }: Args): Action => ({
  do: 'job',
  command: {
    argv: [...tool, 'install', ...(of === 'indexer' ? ['--batch'] : []), `file://${archive}`] as unknown as Argv,
    timeoutMs: TIMEOUT_MS,
  },
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
const WORDS = /^(?:ERROR: |Exception in thread "[^"]*" (?:[\w$.]+: )?|(?=Plugin installation was))/;
