import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openJournal } from '../../engine/journal/journal.js';
import { loadTexts } from '../../engine/language/load.js';
import { ShMachine } from '../../engine/machines/shell/machine.js';
import { modules } from '../../engine/cli/platforms.js';
import { createRun, type Run, type RunOptions } from '../../engine/run/run.js';
import { WindowGuard, type Bounds } from '../../engine/run/window-guard.js';
import { releaseRun, runAll } from '../../engine/run/start.js';
import { EndsRun } from '../../engine/terms/ends-run.js';
import type { Event, Recorded, RunEnd, Verb, Stop } from '../../engine/terms/event.js';
import type { Actor, Clock, Reader } from '../../engine/terms/machine.js';
import type { AnyModule } from '../../engine/terms/module.js';
import { localHost } from '../machines/local-host.js';

/** Time that passes only while something sleeps. */
export function createTestClock(): Clock {
  let now = 1_800_000_000_000;
  return { nowMs: () => now, sleep: (ms) => ((now += ms), Promise.resolve()) };
}

export interface Ran {
  readonly end: RunEnd;
  readonly events: readonly Event[];
  readonly recorded: readonly Recorded[];
}

/**
 * Hosts that are all this machine's own shell, working in one folder: the engine runs for real, only the names are many.
 * `@` in a playbook, and in the platform's facts, is the folder.
 */
export function bench(
  playbook: string,
  hosts: readonly string[],
  facts = '',
  names = '{}',
  invariants = '',
  endpoints = '{}',
) {
  const folder = mkdtempSync(join(tmpdir(), 'runbook-run-'));
  const machine = new ShMachine(localHost);
  const text = playbook.replaceAll('@', folder);
  const inventory = `platform: {}\nendpoints: ${endpoints}\nsecrets: {}\nhosts:\n${hosts.map((h, i) => `  ${h}: { address: 10.0.0.${i + 1}, roles: [test] }\n`).join('')}`;
  const told = facts === '' ? 'facts: {}' : `facts:\n${facts.replaceAll('@', folder)}`;
  const platform = `platform: Test\nnames: ${names}\nroles: { test: { description: Test } }\n${told}\ninvariants: [${invariants}]\nvars: {}\ncomponents: []\n`;

  async function project() {
    const loaded = await loadTexts({
      playbook: [
        { file: join(folder, 'test.yaml'), text },
        { file: join(folder, 'platform.yaml'), text: platform },
      ],
      inventory: [{ file: join(folder, 'inventory.yaml'), text: inventory }],
      cwd: folder,
      env: {},
    });
    if (!loaded.ok)
      throw new Error(loaded.diagnostics.map((d) => `${d.file}:${d.line}: ${d.message} ${d.hint ?? ''}`).join('\n'));
    return loaded.value;
  }

  async function run(
    verb: Verb,
    more: {
      past?: readonly Recorded[];
      actor?: (real: Actor) => Actor;
      reader?: (real: Reader) => Reader;
      options?: Partial<RunOptions>;
      stopAfter?: number;
      answer?: Answers;
      goOn?: NonNullable<Run['goOn']>;
      clock?: Clock;
      window?: Bounds;
      on?: (event: Event) => void;
      modules?: ReadonlyMap<string, AnyModule>;
      /** Gets what is thrown within tasks; without it the run ends there, and so does the test. */
      defects?: unknown[];
    } = {},
  ): Promise<Ran> {
    const clock = more.clock ?? createTestClock();
    const recorded: Recorded[] = [...(more.past ?? [])];
    const journal = openJournal({
      nowMs: () => clock.nowMs(),
      ...(more.past === undefined ? {} : { past: more.past }),
    });
    let settled = 0;
    journal.subscribe((r) => {
      recorded.push(r);
      more.on?.(r.event);
      if (r.event.e === 'settled') settled += 1;
    });
    const reader: Reader = { ask: (needs) => machine.ask(needs) };
    const real: Actor = {
      perform: (on, action, context) => machine.perform(on, action, context),
      job: (on, id) => machine.job(on, id),
      forgetJob: (on, id) => machine.forgetJob(on, id),
    };
    const run = createRun(
      await project(),
      more.modules ?? modules,
      {
        reader: more.reader?.(reader) ?? reader,
        clock,
        journal,
        ...(verb === 'plan' ? {} : { actor: more.actor?.(real) ?? real }),
        ...(more.stopAfter === undefined ? {} : { stopping: () => settled >= (more.stopAfter ?? 0) }),
        ...(more.window === undefined ? {} : { window: new WindowGuard(more.window, clock) }),
        ...(more.defects === undefined
          ? {}
          : { keepTrace: (error: unknown) => `trace ${more.defects?.push(error) ?? 0}` }),
        ...(more.goOn === undefined ? {} : { goOn: more.goOn }),
        ...(more.answer === undefined ? {} : { askOperator: answering(more.answer) }),
      },
      { forks: 5, ...more.options },
    );
    try {
      const end =
        verb === 'close' ? await releaseRun(run) : await runAll(run, { run: 'test', verb, hash: 'h', inventory: '' });
      return { end, events: recorded.map((r) => r.event), recorded };
    } catch (error) {
      if (error instanceof Crash) return { end: 'interrupted', events: recorded.map((r) => r.event), recorded };
      throw error;
    }
  }

  return {
    folder,
    path: (name: string) => join(folder, name),
    run,
    project,
    async end() {
      await machine.close();
      rmSync(folder, { recursive: true });
    },
  };
}

export type Answers = string | ((question: string) => string | undefined);

export const answering = (answer: Answers): NonNullable<Run['askOperator']> =>
  typeof answer === 'string' ? () => Promise.resolve(answer) : (question) => Promise.resolve(answer(question));

/** What a controller that dies in the middle of a run looks like to the run. */
export class Crash extends EndsRun {}

/**
 * An actor whose controller dies at the nth effect: before it happens, or just after, with its outcome unrecorded. What is under way
 * on other hosts then ends unrecorded too, and nothing more begins.
 */
export const crashingAt =
  (nth: number, when: 'before' | 'after') =>
  (real: Actor): Actor => {
    let effects = 0;
    let dead = false;
    return {
      ...real,
      async perform(on, action, context) {
        effects += 1;
        const mine = effects;
        if (mine === nth && when === 'before') dead = true;
        if (dead) throw new Crash();
        const outcome = await real.perform(on, action, context);
        if (mine === nth) dead = true;
        if (dead) throw new Crash();
        return outcome;
      },
    };
  };

/** `host step` of each settled task, in order. */
export const settledOf = (ran: Ran): readonly string[] =>
  ran.events.flatMap((e) => (e.e === 'settled' && 'host' in e.task.on ? [`${e.task.on.host} ${e.name}: ${e.as}`] : []));

/** Why a run stopped, at its end. */
export const stopOf = ({ events }: Ran): Stop | undefined =>
  events.flatMap((e) => (e.e === 'run-ended' ? [e] : [])).at(-1)?.stop;

/** A step that makes a file of its name for each host. */
export const fileStep = (name: string): string =>
  `      - step: ${name}\n        file: { path: "@/${name}-{{host.name}}", state: file, content: x }\n`;
