import { expect } from '@jest/globals';
import type { Ran } from '../run/bench-hosts.js';
import type { platform } from './platform-bench.js';

/** An upgrade that an operator stops once a step has ended on a host. */
export async function interruptedAfter(
  { run }: Pick<Awaited<ReturnType<typeof platform>>, 'run'>,
  step: string,
  host: string,
): Promise<Ran> {
  let stopping = false;
  const ran = await run('apply', {
    stopping: () => stopping,
    on: ({ event: e }) => {
      stopping ||= e.e === 'settled' && e.name === step && 'host' in e.task.on && e.task.on.host === host;
    },
  });
  expect(ran.end).toBe('interrupted');
  return ran;
}
