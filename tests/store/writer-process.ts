import { createInterface } from 'node:readline';
import { openNatsStore } from '../../engine/store/nats/nats-store.js';
import type { NatsOptions } from '../../engine/store/nats/options.js';

/** A writer in a process of its own: appends each line of its input, `LAST TEXT`, to a run, and prints what became of it. */
const [, , options = '', run = ''] = process.argv;
const store = await openNatsStore(JSON.parse(options) as NatsOptions);
for await (const input of createInterface({ input: process.stdin })) {
  const [last = '', text = ''] = input.split(' ');
  process.stdout.write(`${JSON.stringify(await store.append(run, Number(last), [Buffer.from(text)]))}\n`);
}
await store.close();
