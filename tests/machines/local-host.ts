import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HostFact } from '../../engine/facts/kind.js';
import { createLocal } from '../../engine/machines/local.js';
import type { OwnFleet } from '../../engine/machines/fleet.js';
import { reached } from '../../engine/machines/machine.js';
import { ShMachine } from '../../engine/machines/shell/machine.js';
import type { ShHost } from '../../engine/machines/shell/place.js';
import type { Action, Outcome } from '../../engine/terms/action.js';
import { refKey, type Answer, type Fact, need } from '../../engine/terms/fact.js';
import type { Clock } from '../../engine/terms/machine.js';

export const realClock: Clock = {
  nowMs: () => Date.now(),
  sleep: (ms, signal) => sleep(ms, undefined, signal === undefined ? {} : { signal }),
};

export const localHost: ShHost = {
  clock: realClock,
  connect: () => Promise.resolve(reached(createLocal())),
  become: () => Promise.resolve(reached(undefined)),
};

/** A fleet of one machine, without endpoints. */
export const fleetOf = (
  machine: ShMachine,
  perform: OwnFleet['actor']['perform'] = (on, action, context) => machine.perform(on, action, context),
): OwnFleet => ({
  clock: realClock,
  reader: { ask: (needs) => machine.ask(needs) },
  actor: {
    perform,
    job: (on, id) => machine.job(on, id),
    forgetJob: (on, id) => machine.forgetJob(on, id),
  },
  swap: (...asked) => machine.swap(...asked),
  exchange: () => Promise.reject(new Error('no endpoint is asked here')),
  stopWaiting: () => undefined,
  close: () => machine.close(),
});

const on = { host: 'here' };

/** This machine's own shell and a folder to work in, both gone after `end`. */
export function workshop(host: ShHost = localHost, facts: readonly HostFact[] = []) {
  const folder = mkdtempSync(join(tmpdir(), 'runbook-test-'));
  const machine = new ShMachine(host, facts);
  let effects = 0;
  return {
    machine,
    folder,
    path: (name: string) => join(folder, name),
    async ask<K>(fact: Fact<K, unknown>, key: K): Promise<Answer> {
      const question = need(on, fact, key);
      const answer = (await machine.ask([question])).get(refKey(question));
      if (answer === undefined) throw new Error(`no answer to ${refKey(question)}`);
      return answer;
    },
    perform: (action: Action, signal?: AbortSignal): Promise<Outcome> =>
      machine.perform(on, action, { id: `test/${(effects += 1)}`, ...(signal === undefined ? {} : { signal }) }),
    async end() {
      await machine.close();
      rmSync(folder, { recursive: true });
    },
  };
}
