import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { call } from './indexer-client.js';
import { pause } from './hosts.js';
import { meetLab } from './state.js';
import { hostsOf } from './topology.js';
import { acknowledgedFile, writerIndex } from './writer.js';

/** Between two documents. */
const intervalMs = 50;
/** A document that no node takes in so many attempts is given up, unacknowledged: another may belong to a living shard. */
const attempts = 6;

await meetLab();
const nodes = hostsOf(['indexer']);
const run = randomBytes(4).toString('hex');
const stop = new AbortController();
process.on('SIGTERM', () => {
  stop.abort();
});

let given = 0;
for (let number = 1; !stop.signal.aborted; number += 1) {
  const id = `${run}-${number}`;
  if (await written(id, number)) appendFileSync(acknowledgedFile(), `${id}\n`);
  else given += 1;
  await pause(intervalMs);
}
console.log(`${run}: ended, ${given} given up unacknowledged`);

/** Writes one document under its own id, so that a repetition after a lost answer does no harm; true when acknowledged. */
async function written(id: string, number: number): Promise<boolean> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const node = nodes[(number + attempt) % nodes.length];
    if (node === undefined) return false;
    try {
      const path = `/${writerIndex}/_doc/${id}?timeout=2s`;
      const { status, text } = await call(node, 'PUT', path, { number, at: new Date().toISOString() }, 5000);
      if (status === 200 || status === 201) return true;
      console.log(`${new Date().toISOString()} ${id} ${node.name}: ${status} ${text.slice(0, 120)}`);
    } catch (error) {
      console.log(
        `${new Date().toISOString()} ${id} ${node.name}: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
    await pause(200);
  }
  return false;
}
