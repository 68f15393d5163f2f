import { describe, expect, test } from '@jest/globals';
import { findCauses } from '../../engine/cli/run/causes.js';
import { createSplitter } from '../../engine/lib/redact.js';
import { openJournal } from '../../engine/journal/journal.js';
import {
  createModelMachine,
  createModelPlatform,
} from '../../engine/platforms/security-monitoring/simulator/platform.js';
import { createPlatformState } from '../../engine/platforms/security-monitoring/simulator/create.js';
import { modules } from '../../engine/cli/platforms.js';
import { endView } from '../../engine/report/end/end-view.js';
import { createRun } from '../../engine/run/run.js';
import type { Recorded } from '../../engine/terms/event.js';
import type { Reader } from '../../engine/terms/machine.js';
import { hostOf } from './diagnose-bench.js';
import { shippedProject } from './platform-bench.js';

const FLAGS = { forks: 50, json: false };
const WORDS = 'the password is hunter2hunter2';

/** A run in which a step failed on indexer-2, whose disk is full; `reader` stands between it and the model. */
async function failedRun(reader: (real: Reader) => Reader = (real) => real) {
  const project = await shippedProject();
  const state = createPlatformState({ from: '4.12.0', inventory: project.inventory });
  hostOf(state, 'indexer-2').disk.usedBytes = 99_000_000_000;
  const platform = createModelPlatform(state);
  const machine = createModelMachine({ inventory: project.inventory, platform });
  const journal = openJournal({ nowMs: () => platform.clock.nowMs() });
  const events: Recorded[] = [];
  journal.subscribe((r) => events.push(r));
  const ports = { reader: reader(machine), clock: platform.clock, journal };
  const run = createRun(project, modules, ports, { forks: 50 });
  const task = { step: 'up/Indexer/Start the indexer', on: { host: 'indexer-2' } };
  journal.emit({
    e: 'settled',
    task,
    name: 'Start the indexer',
    as: 'failed',
    changed: true,
    reason: WORDS,
    tookMs: 1,
  });
  journal.emit({ e: 'run-ended', as: 'failed', reason: 'it failed', untouched: [], notRestored: [], tookMs: 1 });
  return { project, session: { run, events, split: createSplitter(new Map([['many', '99']])) }, machine };
}

const found = (causes: readonly Recorded[]): readonly string[] =>
  causes.flatMap(({ event }) => (event.e === 'found' ? [event.text] : []));

describe('what is looked at after a run that failed', () => {
  test('the hosts that failed and no other; known secrets are taken out of it', async () => {
    const { project, session, machine } = await failedRun();
    const causes = await findCauses(session, project, FLAGS);
    await machine.close();
    expect(found(causes)).toEqual([expect.stringContaining('/var/lib/platform-indexer is {{secret.many}} % full')]);
    expect(new Set(causes.flatMap(({ event }) => (event.e === 'from' ? [event.host] : [])))).toEqual(
      new Set(['indexer-2']),
    );
  });

  test('a host that does not answer holds nothing up past the limit, and the failure is reported all the same', async () => {
    const { project, session, machine } = await failedRun(() => ({ ask: () => new Promise(() => undefined) }));
    const causes = await findCauses(session, project, FLAGS, undefined, 30);
    await machine.close();
    expect(found(causes)).toEqual([]);
    const view = endView(session.events, { color: false, width: 100, causes });
    expect(view).toContain(`✗ indexer-2  Start the indexer\n  ${WORDS}`);
    expect(view).toContain('the diagnosis did not finish in time');
  });

  test('a check that could not run is named with its reason', async () => {
    const { project, session, machine } = await failedRun();
    const causes = await findCauses(session, project, FLAGS);
    await machine.close();
    const [play] = causes.flatMap(({ event }) => (event.e === 'play-started' ? [event.play] : []));
    const task = { step: `${play ?? ''}/Heap sizes match`, on: { host: 'indexer-2' } };
    const undecided = {
      e: 'undecided' as const,
      task,
      name: 'Heap sizes match',
      because: 'no heap line was read',
      dependsOn: [],
      touches: [],
    };
    const known = [...causes, { seq: 0, atMs: 0, event: undecided }];
    expect(endView(session.events, { color: false, width: 100, causes: known })).toContain(
      '? indexer-2  not checked (Heap sizes match): no heap line was read\n',
    );
  });

  test('a reader that breaks hides nothing', async () => {
    const { project, session, machine } = await failedRun(() => ({ ask: () => Promise.reject(new Error('broken')) }));
    expect(found(await findCauses(session, project, FLAGS))).toEqual([]);
    await machine.close();
  });

  test('nothing where every host that failed was lost', async () => {
    const { project, session, machine } = await failedRun();
    session.run.journal.emit({ e: 'host-lost', host: 'indexer-2', reason: 'gone' });
    expect(await findCauses(session, project, FLAGS)).toEqual([]);
    await machine.close();
  });
});
