import { describe, expect, test } from '@jest/globals';
import { jvmOptions, withAnalyzer } from '../../../engine/platforms/security-monitoring/simulator/packages/indexer.js';
import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import { platform } from '../platform-bench.js';
import { edit, endOf, hostOf, warningsOf } from '../platform-looks.js';

const INDEXERS = ['indexer-1', 'indexer-2', 'indexer-3'];
const optionsOf = (state: PlatformState, host: string): string =>
  hostOf(state, host).files[state.names.indexer.jvm_options]?.text ?? '';
/** As the new version's script leaves its defaults. */
const NEW = withAnalyzer(jvmOptions('4.14.7-1'));
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

  test.each(['4.7.5', '4.12.0'])('%s: the options below the package’s own marker stay, once', async (from) => {
    const { run, state } = await platform({ from });
    const before = optionsOf(state, 'indexer-1');
    const ran = await run('apply');
    expect(endOf(ran)).toEqual(['done']);
    const countOf = (text: string, line: string): number => text.split('\n').filter((l) => l === line).length;
    const block = withAnalyzer('').trim().split('\n');
    const ours = ['-Xms8g', '-Xmx8g', '-Dours.region=eu'];
    expect([...block, ...ours].map((line) => countOf(before, line))).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
    for (const host of INDEXERS) {
      const after = optionsOf(state, host);
      expect(Object.fromEntries([...block, ...ours].map((line) => [line, countOf(after, line)]))).toEqual(
        Object.fromEntries([...block, ...ours].map((line) => [line, 1])),
      );
      expect(after).toContain('11-:-XX:InitiatingHeapOccupancyPercent=45\n');
      expect(after).toContain(block.join('\n'));
      // They are the package's: no warning calls them the operator's.
      expect(warningsOf(ran).filter((w) => w.includes('-Dclk.tck'))).toEqual([]);
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
