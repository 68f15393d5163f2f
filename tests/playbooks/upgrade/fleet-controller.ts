import { join } from 'node:path';
import { openBlobs } from '../../../engine/journal/blobs.js';
import { openJournal } from '../../../engine/journal/journal.js';
import { readJournal } from '../../../engine/journal/journal-file.js';
import { loadTexts } from '../../../engine/language/load.js';
import { createEndpoints } from '../../../engine/machines/http/endpoint-reader.js';
import { endpointFacts } from '../../../engine/platforms/security-monitoring/facts/index.js';
import { tokens } from '../../../engine/platforms/security-monitoring/tokens.js';
import { createSecrets } from '../../../engine/machines/secrets.js';
import { modules } from '../../../engine/cli/platforms.js';
import { createRun } from '../../../engine/run/run.js';
import { runAll } from '../../../engine/run/start.js';
import { refKey } from '../../../engine/terms/fact.js';
import type { Clock } from '../../../engine/terms/machine.js';
import { endView } from '../../../engine/report/end/end-view.js';
import type { ControllerSaid, ControllerTold, FleetOrder } from './fleet-order.js';

/**
 * A controller in a process of its own: one step of the module `agents` against the management API at a real address, with a journal on
 * disk. Its waits turn the clock of whoever started it; time limits of requests are real.
 */
async function main(order: FleetOrder): Promise<ControllerSaid> {
  const clock = turnedClock(order.nowMs);
  const loaded = await loadTexts({
    playbook: [
      { file: join(order.folder, 'test.yaml'), text: order.playbook },
      { file: join(order.folder, 'platform.yaml'), text: PLATFORM },
    ],
    inventory: [{ file: join(order.folder, 'inventory.yaml'), text: order.inventory }],
    cwd: order.folder,
    env: {},
  });
  if (!loaded.ok) throw new Error(loaded.diagnostics.map((d) => `${d.file}:${d.line}: ${d.message}`).join('\n'));
  const { inventory } = loaded.value;
  const secrets = createSecrets({
    sources: inventory.secrets,
    env: process.env,
    ask: () => Promise.resolve(undefined),
  });
  const endpoints = createEndpoints({
    inventory,
    secrets,
    clock,
    cacheDir: order.folder,
    facts: endpointFacts,
    tokens,
  });
  const file = join(order.folder, 'journal.ndjson');
  const blobs = openBlobs(join(order.folder, 'blobs'));
  const past = order.resume ? readJournal(file, blobs, secrets.known) : [];
  const journal = openJournal({
    nowMs: () => clock.nowMs(),
    file,
    past,
    blobs,
    split: secrets.split,
  });
  const run = createRun(
    loaded.value,
    modules,
    {
      reader: {
        ask: async (needs, context) =>
          new Map(await Promise.all(needs.map(async (n) => [refKey(n), await endpoints.ask(n, context)] as const))),
      },
      actor: {
        perform: (on, action, context) => endpoints.perform(on, action, context),
        job: () => Promise.resolve({ is: 'absent' }),
        forgetJob: () => Promise.resolve(),
      },
      clock,
      journal,
    },
    { forks: 1 },
  );
  const end = await runAll(run, { run: 'fleet', verb: order.resume ? 'resume' : 'apply', hash: 'h', inventory: '' });
  await endpoints.close();
  journal.close();
  const view = endView(readJournal(file, blobs), { color: false, width: 120 });
  return { end, view, peakBytes: process.resourceUsage().maxRSS * 1024 };
}

const PLATFORM = 'platform: Test\nnames: {}\nroles: {}\nfacts: {}\ninvariants: []\nvars: {}\ncomponents: []\n';

/** A wait asks for time and gets it at once; a time limit (it has a signal) passes as it does. */
function turnedClock(startMs: number): Clock {
  let nowMs = startMs;
  let told = (_: ControllerTold): void => undefined;
  process.on('message', (message: ControllerTold) => told(message));
  return {
    nowMs: () => nowMs,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal !== undefined) {
          const timer = setTimeout(resolve, ms);
          signal.addEventListener('abort', () => {
            clearTimeout(timer);
            resolve();
          });
          return;
        }
        told = (message) => {
          nowMs = message.nowMs;
          resolve();
        };
        process.send?.({ turnMs: ms });
      }),
  };
}

process.once('message', (order: FleetOrder) => {
  void main(order).then((said) => process.send?.(said, () => process.disconnect()));
});
