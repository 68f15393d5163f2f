import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readEnd } from '../../engine/journal/end-marker.js';
import type { Event, Recorded } from '../../engine/terms/event.js';
import { openHarness, type Harness } from '../cli/cli-harness.js';
import { HOSTS, type KillHosts } from './hosts.js';

/** When the controller is killed, counted in its own writes (kill.js). */
export interface Moment {
  readonly write: number;
  readonly when: 'before' | 'after' | 'later';
  readonly laterMs: number;
}

/** `same`: the end of the uninterrupted run. */
export interface Result {
  readonly is: 'same' | 'refused' | 'different' | 'hang';
  /** How the run came there, in a few words. */
  readonly how: 'resumed' | 'not begun' | 'done already';
  readonly asked: number;
  readonly why: string;
}

type End = Readonly<Record<string, string>>;

/** The steps that leave their name on the host's disk each time. */
const ONCE = /^(enrol|move \[.\]|drain|pay|revive|close the books)$/;
/** No process of a round takes as long as this: it hangs. */
const HANG_MS = 60_000;
/** A command that was sent has ended by then. */
const SETTLE_MS = 1_500;
const PRELOAD = `--import=${join(import.meta.dirname, 'kill.js')}`;

const platform = 'platform: Nodes\nroles: { node: { description: A node } }\nlease: { roles: [node], file: @/lease }\n';

/** A controller's folder, and the work of playbook.yaml on the disks as they are before it. */
function prepared(hosts: KillHosts): Harness {
  hosts.reset();
  const onDisk = (text: string): string => text.replaceAll('@/', `${hosts.disk}/`);
  return openHarness({
    'platform.yaml': onDisk(platform),
    'work.yaml': onDisk(readFileSync(join(import.meta.dirname, 'playbook.yaml'), 'utf8')),
    'inventory.yaml': hosts.inventory,
  });
}

/** The uninterrupted run: where it ends, and how often it writes. */
export async function wholeRun(hosts: KillHosts): Promise<{ readonly end: End; readonly writes: number }> {
  const harness = prepared(hosts);
  try {
    const env = { NODE_OPTIONS: PRELOAD, KILL_COUNT: harness.path('count') };
    const { exitCode, stdout, stderr } = await harness.run(['apply', 'work.yaml', '-y'], { env });
    if (exitCode !== 0) throw new Error(`the uninterrupted run ended with ${exitCode}: ${stdout}${stderr}`);
    return { end: endOf(hosts), writes: Number(harness.read('count')) };
  } finally {
    harness.end();
  }
}

/**
 * The end state. What the pool was told is taken as a whole: a drain whose run failed is ended, and made again by the resume, so each drain is
 * followed by a revive, and the last word is that.
 */
function endOf(hosts: KillHosts): End {
  const end = { ...hosts.state() };
  for (const host of HOSTS) {
    const pool = hosts.lines(host, 'pool').join(' ');
    end[`${host}/pool`] = /^(revive )*(drain (revive )+)*drain( revive)+$/.test(pool) ? 'drained and revived' : pool;
  }
  return end;
}

/**
 * Applies, kills, and goes on to the end; then the same once more from the kill, without what the journal had behind its last synced record.
 * Undefined: it had nothing there, so that would be the same.
 */
export async function killedRun(
  hosts: KillHosts,
  whole: End,
  { write, when, laterMs }: Moment,
): Promise<{ readonly killed: Result; readonly tailLost?: Result }> {
  const harness = prepared(hosts);
  try {
    const env = { NODE_OPTIONS: PRELOAD, KILL_AT: String(write), KILL_WHEN: when, KILL_AFTER_MS: String(laterMs) };
    const cut = await harness.run(['apply', 'work.yaml', '-y', '--no-diagnose'], { timeout: HANG_MS, env });
    if (cut.timedOut) return { killed: { is: 'hang', how: 'resumed', asked: 0, why: 'the first run hangs' } };
    hosts.keep();
    cpSync(harness.path('.runbook'), harness.path('kept'), { recursive: true });
    const killed = await endedRun(harness, hosts, whole);
    hosts.restore();
    rmSync(harness.path('.runbook'), { recursive: true });
    renameSync(harness.path('kept'), harness.path('.runbook'));
    return loseTail(harness) ? { killed, tailLost: await endedRun(harness, hosts, whole) } : { killed };
  } finally {
    harness.end();
  }
}

/** Goes on to the end, and says of each step of which the run does not know it what the host's disk says. */
async function endedRun(harness: Harness, hosts: KillHosts, whole: End): Promise<Result> {
  const how = howOn(harness);
  if (how === 'done already') return judged({ how, asked: 0, why: '' }, hosts, whole);
  const answers = how === 'not begun' ? [] : await answersFor(harness, hosts);
  const args = how === 'not begun' ? ['apply', 'work.yaml', '-y'] : ['resume', '-y', ...answers];
  const ran = await harness.run([...args, '--no-diagnose'], { timeout: HANG_MS });
  const asked = answers.length / 2;
  const why = `${args.join(' ')}: exit ${ran.exitCode}\n${ran.stdout}${ran.stderr}`;
  if (ran.timedOut) return { is: 'hang', how, asked, why };
  if (ran.exitCode === 0) return judged({ how, asked, why }, hosts, whole);
  return { is: ran.exitCode === 1 ? 'different' : 'refused', how, asked, why };
}

function judged(result: Omit<Result, 'is'>, hosts: KillHosts, whole: End): Result {
  const differs = differences(whole, endOf(hosts));
  if (differs.length === 0) return { ...result, is: 'same' };
  return { ...result, is: 'different', why: [...differs, result.why].join('\n') };
}

/** What a journal says of how to go on. */
function howOn(harness: Harness): Result['how'] {
  const events = eventsOf(harness);
  if (events.length === 0) return 'not begun';
  const last = events.at(-1);
  return last?.e === 'run-ended' && last.as === 'done' ? 'done already' : 'resumed';
}

const journalFile = (harness: Harness): string | undefined => {
  const run = harness.runs().at(-1);
  return run === undefined ? undefined : harness.path(`.runbook/runs/${run}/journal.ndjson`);
};

function linesOf(file: string | undefined): readonly string[] {
  try {
    return file === undefined
      ? []
      : readFileSync(file, 'utf8')
          .split(/(?<=\n)/)
          .filter((line) => line !== '');
  } catch {
    return [];
  }
}

const eventsOf = (harness: Harness): readonly Event[] =>
  linesOf(journalFile(harness)).map((line) => (JSON.parse(line) as Recorded).event);

/** Removes what the journal has behind its last synced record, as a loss of power does; whether that was anything. */
function loseTail(harness: Harness): boolean {
  const file = journalFile(harness);
  const lines = linesOf(file);
  if (file === undefined || lines.length === 0) return false;
  const kept = readEnd(file)?.seq ?? 0;
  writeFileSync(file, lines.slice(0, kept).join(''));
  return lines.length > kept;
}

/** The commands that may not be done twice and were begun without an outcome: `--done` or `--not-done`, as the disks of their hosts have it. */
async function answersFor(harness: Harness, hosts: KillHosts): Promise<readonly string[]> {
  const last = new Map<string, Event>();
  for (const event of eventsOf(harness))
    if (event.e === 'intent' || event.e === 'effect') last.set(JSON.stringify(event.task), event);
  const begun = [...last.values()].flatMap((event) =>
    event.e === 'intent' && ONCE.test(event.name) && 'host' in event.task.on
      ? [{ step: event.name, host: event.task.on.host }]
      : [],
  );
  // No process ends a command whose controller was killed: an operator who looks later sees what became of it.
  if (begun.length > 0) await sleep(SETTLE_MS);
  return begun.flatMap(({ step, host }) => [
    [...hosts.lines(host, 'did'), ...hosts.lines(host, 'pool')].includes(step) ? '--done' : '--not-done',
    `${step} on ${host}`,
  ]);
}

function differences(whole: End, end: End): readonly string[] {
  const names = [...new Set([...Object.keys(whole), ...Object.keys(end)])].sort();
  return names
    .filter((name) => whole[name] !== end[name])
    .map((name) => `${name}: ${JSON.stringify(end[name])}, not ${JSON.stringify(whole[name])}`);
}
