import { execa, type Options, type Result, type ResultPromise } from 'execa';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Recorded } from '../../engine/terms/event.js';
import { nodeFlags } from '../tools/node-flags.js';

/** A run syncs its journal at every act: on a busy disk that is most of a test's time. */
const quickDisk = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

// Whole upgrades by a program of its own, on a machine that may be busy with others. Scripts (tests/trials/) have no limit.
(import.meta as { readonly jest?: { setTimeout(ms: number): void } }).jest?.setTimeout(240_000);

const root = join(import.meta.dirname, '..', '..');

/** The built program; `RUNBOOK_PROGRAM` names another one to try, such as an installed one. */
export const program = process.env['RUNBOOK_PROGRAM'] ?? join(root, 'dist', 'cli', 'main.js');
if (!existsSync(program))
  throw new Error(`${program} is missing: these tests drive the built program; run "npm run build" first`);

/** How many records a journal has until a step of this name is begun. */
export const untilBegun =
  (name: string) =>
  (lines: readonly string[]): number =>
    1 + lines.findIndex((line) => line.includes('"e":"intent"') && line.includes(`"name":"${name}"`));

/** Until another process has done something: looked at again and again. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20));
}

export interface Harness {
  readonly folder: string;
  readonly path: (name: string) => string;
  readonly write: (name: string, text: string) => void;
  readonly read: (name: string) => string;
  /** Runs the program in the harness's folder, without a terminal, to its end. Never rejects. */
  readonly run: (args: readonly string[], options?: Options) => Promise<Result<{ reject: false }>>;
  /** The same, still running: signals and lines on its way. */
  readonly start: (args: readonly string[], options?: Options) => ResultPromise<{ reject: false; buffer: true }>;
  /** The names of the runs, oldest first. */
  readonly runs: () => readonly string[];
  /** Every file of a run's folder, as one text to search. */
  readonly everythingOf: (run: string) => string;
  /** The journal of a run, line by line as it stands. */
  readonly journalOf: (run: string) => readonly Recorded[];
  /** Leaves the first records of the newest run, as many as this says: what a controller leaves that is killed there. */
  readonly cutJournal: (kept: (lines: readonly string[]) => number) => void;
  readonly end: () => void;
}

/** An operator's working directory, and the program. Nothing of this machine's own settings reaches the program. */
export function openHarness(files: Readonly<Record<string, string>> = {}, main = program): Harness {
  const folder = mkdtempSync(join(quickDisk, 'runbook-cli-'));
  const path = (name: string): string => join(folder, name);
  const write = (name: string, text: string): void => writeFileSync(path(name), text.replaceAll('@/', `${folder}/`));
  for (const [name, text] of Object.entries(files)) write(name, text);
  const start: Harness['start'] = (args, options = {}) =>
    execa(process.execPath, [...nodeFlags, main, ...args], {
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '', HOME: folder, ...options.env },
      extendEnv: false,
      stdin: 'ignore',
      reject: false,
      ...withoutEnv(options),
    }) as unknown as ReturnType<Harness['start']>;
  const runFolder = (run: string): string => join(folder, '.runbook', 'runs', run);
  const runs: Harness['runs'] = () =>
    existsSync(path('.runbook/runs')) ? readdirSync(path('.runbook/runs')).sort() : [];
  return {
    folder,
    path,
    write,
    read: (name) => readFileSync(path(name), 'utf8'),
    run: (args, options) => start(args, options) as unknown as ReturnType<Harness['run']>,
    start,
    runs,
    everythingOf: (run) =>
      readdirSync(runFolder(run), { recursive: true, withFileTypes: true })
        .filter((e) => e.isFile())
        .map((e) => `${e.name}\n${readFileSync(join(e.parentPath, e.name), 'utf8')}`)
        .join('\n'),
    journalOf: (run) =>
      readFileSync(join(runFolder(run), 'journal.ndjson'), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Recorded),
    cutJournal: (kept) => {
      const file = join(runFolder(runs().at(-1) ?? ''), 'journal.ndjson');
      const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
      writeFileSync(file, `${lines.slice(0, kept(lines)).join('\n')}\n`);
      // It names a record that was not written yet.
      rmSync(`${file}.end`);
    },
    end: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function withoutEnv(options: Options): Options {
  const { env: _env, ...rest } = options;
  return rest;
}

export const PLATFORM = 'platform: Test\nnames: {}\nroles: {}\nfacts: {}\ninvariants: []\nvars: {}\ncomponents: []\n';

/** One host that is this machine's own shell: whatever a playbook does is done in the harness's folder (`@/`). */
export const localHarness = (playbook: string, secrets = '{}'): Harness =>
  openHarness({
    'platform.yaml': PLATFORM,
    'test.yaml': playbook,
    'inventory.yaml': `platform: {}\nendpoints: {}\nsecrets: ${secrets}\nhosts:\n  a: { address: 127.0.0.1, machine: local }\n`,
  });

/** A step that makes a file, once. */
export const touch = (name: string, file: string): string =>
  `      - step: ${name}\n        command: { argv: [touch, "@/${file}"], creates: "@/${file}", changes: ["@/${file}"], timeout: 10s }\n`;

/** A playbook of one play on all hosts. */
export const onePlay = (steps: string, play = 'serial: 1'): string =>
  `playbook: Try\nplays:\n  - play: Work\n    hosts: all\n    ${play}\n    steps:\n${steps}`;

/** The embedded platform of the demo, in the program's own process or behind a socket. */
export const modelHarness = (model: string, change: (inventory: string) => string = (i) => i): Harness =>
  openHarness({
    'inventory.yaml': change(
      readFileSync(join(root, 'tests', 'demo', 'inventory.yaml'), 'utf8').replace(/^model:.*$/m, `model: ${model}`),
    ),
  });

export const MODEL_SECRETS = {
  RUNBOOK_DEMO_API_PASSWORD: 'model-api-password',
  RUNBOOK_DEMO_INDEXER_PASSWORD: 'model-indexer-password',
};

/** NDJSON as values. */
export const linesOf = (text: string): readonly Record<string, unknown>[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** Resolves with the nth line that fits; rejects when the stream ends before. */
export function lineOf(stream: Readable, pattern: RegExp, nth = 1): Promise<string> {
  let seen = 0;
  const lines = createInterface({ input: stream });
  return new Promise((resolve, reject) => {
    lines.on('line', (line) => {
      if (pattern.test(line) && (seen += 1) === nth) resolve(line);
    });
    lines.once('close', () => reject(new Error(`no line fits ${String(pattern)} ${nth} times`)));
  });
}

/** Ctrl-C at a terminal goes to every process of the group; the program is started with `detached`. */
export const ctrlC = (running: { readonly pid?: number }): void =>
  void process.kill(-(running.pid ?? Number.NaN), 'SIGINT');
