import { describe, expect, test } from '@jest/globals';
import { jvmOptions } from '../../../engine/platforms/security-monitoring/simulator/packages/indexer.js';
import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import { platform } from '../platform-bench.js';
import { edit, endOf, hostOf, warningsOf } from '../platform-looks.js';

const INDEXERS = ['indexer-1', 'indexer-2', 'indexer-3'];
const optionsOf = (state: PlatformState, host: string): string =>
  hostOf(state, host).files[state.names.indexer.jvm_options]?.text ?? '';
const NEW = jvmOptions('4.14.7-1');
const heap = (text: string, size: string): string =>
  text.replace(/^-Xms1g$/m, `-Xms${size}`).replace(/^-Xmx1g$/m, `-Xmx${size}`);

/** The options of each indexer after an upgrade from 4.12.0, and what was warned of. */
async function upgraded(write: (defaults: string) => string, alter: (state: PlatformState) => void = () => undefined) {
  const { run, state } = await platform();
  edit(state, INDEXERS, state.names.indexer.jvm_options, () => write(jvmOptions('4.12.0-1')));
  alter(state);
  const ran = await run('apply');
  expect(endOf(ran)).toEqual(['done']);
  return { options: INDEXERS.map((host) => optionsOf(state, host)), warnings: warningsOf(ran) };
}
const all = (text: string): readonly string[] => INDEXERS.map(() => text);

describe('JVM options (§9.4.5): only what the operator changed is reapplied', () => {
  test('a heap of the operator’s: every other default is the new version’s', async () => {
    expect((await upgraded((old) => heap(old, '8g'))).options).toEqual(all(heap(NEW, '8g')));
  });

  test('a file without changes: the new version’s', async () => {
    expect((await upgraded((old) => old)).options).toEqual(all(NEW));
  });

  test('an option changed to another value, one added, one taken out', async () => {
    const theirs = (text: string): string =>
      text.replace('G1ReservePercent=25', 'G1ReservePercent=15').replace('-XX:+HeapDumpOnOutOfMemoryError\n', '');
    const { options } = await upgraded((old) => `${theirs(old)}-Dours=1\n`);
    for (const text of options) {
      expect(text).toContain('11-:-XX:InitiatingHeapOccupancyPercent=45\n');
      expect(text).toContain('11-:-XX:G1ReservePercent=15\n');
      expect(text).toContain('-Dours=1\n');
      expect(text).not.toContain('HeapDumpOnOutOfMemoryError');
    }
  });

  test('the old package can be had nowhere: what differs from the new defaults is kept, and that is said', async () => {
    const { options, warnings } = await upgraded(
      (old) => heap(old, '8g'),
      (state) => {
        state.repository['platform-indexer'] = ['4.14.7-1'];
      },
    );
    expect(options[0]).toContain('-Xmx8g');
    expect(warnings.filter((w) => w.includes('are not known (the earlier package is not archived)'))).not.toEqual([]);
  });
});
