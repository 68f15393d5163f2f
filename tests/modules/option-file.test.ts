import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { mergeOptions } from '../../engine/modules/package/option-file.js';
import { heapConflict, idOf, isHeap, readOptions } from '../../engine/modules/package/option-line.js';
import { sampled } from '../lib/sampled.js';

const KEPT = '## Kept from the file before the upgrade\n';
const size = fc.constantFrom('1g', '2g', '8g', '512m');
const scope = fc.constantFrom('', '', '', '8:', '8-10:', '11-:');
const option = fc.oneof(
  fc
    .tuple(
      scope,
      fc.constantFrom(
        '-XX:+UseG1GC',
        '-XX:-UseG1GC',
        '-XX:G1ReservePercent=25',
        '-XX:G1ReservePercent=30',
        '-Djava.io.tmpdir=/t',
        '-Djava.io.tmpdir=/u',
        '-Da',
        '-Da=1',
        '-Xss1m',
        '--add-opens=java.base/x=ALL',
        '-Xlog:gc:file=a',
        '-ea',
      ),
    )
    .map((p) => p.join('')),
);
const other = fc.constantFrom('', '## -Xms4g', '#-Xmx4g', '# 8:-XX:+Old');
/** Both heap lines of one size, or none. */
const heap = fc.oneof(
  size.map((s) => [`-Xms${s}`, `-Xmx${s}`]),
  fc.constant<string[]>([]),
  fc.constant(['-XX:MaxRAMPercentage=50']),
);
const file = fc
  .tuple(
    heap,
    fc.array(fc.oneof(option, option, other), { minLength: 1, maxLength: 8 }),
    fc.nat(8),
    fc.constantFrom('\n', '\r\n'),
    fc.boolean(),
  )
  .map(
    ([h, lines, at, end, closed]) => [...lines.slice(0, at), ...h, ...lines.slice(at)].join(end) + (closed ? end : ''),
  );
const own = file.filter((text) => readOptions(text).options.length > 0);

/** The options that the JVM uses: the last line of each. */
const told = (text: string): ReadonlyMap<string, string> =>
  new Map(readOptions(text).options.map((o) => [idOf(o), o.option]));

describe('mergeOptions', () => {
  test('twice is once', () => {
    fc.assert(
      fc.property(file, own, fc.option(file, { nil: undefined }), (defaults, saved, base) => {
        const sources = { saved, ...(base === undefined ? {} : { base }) };
        const once = mergeOptions({ ...sources, defaults });
        expect(once.is).toBe('text');
        if (once.is === 'text')
          expect(mergeOptions({ ...sources, defaults: once.text })).toMatchObject({ is: 'text', text: once.text });
      }),
      { numRuns: sampled(1500) },
    );
  });

  test("every value of the operator holds, the heap is the operator's alone", () => {
    fc.assert(
      fc.property(file, own, (defaults, saved) => {
        const merged = mergeOptions({ defaults, saved });
        if (merged.is === 'wrong') throw new Error(merged.reason);
        const [wanted, got] = [told(saved), told(merged.text)];
        for (const [id, text] of wanted) expect([id, got.get(id)]).toEqual([id, text]);
        const heapOf = (text: string): string[] =>
          readOptions(text)
            .options.filter(isHeap)
            .map((o) => o.option)
            .sort();
        expect(heapOf(merged.text)).toEqual(heapOf(saved));
        expect(heapConflict(readOptions(merged.text))).toEqual([]);
      }),
      { numRuns: sampled(1000) },
    );
  });

  test('lines of the new defaults that no option of the operator contradicts stay byte for byte, in order', () => {
    fc.assert(
      fc.property(file, own, (defaults, saved) => {
        const merged = mergeOptions({ defaults, saved });
        if (merged.is === 'wrong') throw new Error(merged.reason);
        const comments = (text: string): string[] =>
          text.split(/\r?\n/).filter((l) => l.startsWith('#') && !l.startsWith('## Kept'));
        expect(comments(merged.text)).toEqual(comments(defaults));
        const mine = told(saved);
        const untouched = readOptions(defaults)
          .options.filter((o) => !isHeap(o) && !mine.has(idOf(o)) && !o.option.includes('GC'))
          .map((o) => o.option);
        const kept = readOptions(merged.text).options.map((o) => o.option);
        expect(kept.filter((o) => untouched.includes(o)).length).toBeGreaterThanOrEqual(untouched.length);
      }),
      { numRuns: sampled(800) },
    );
  });

  test('a file that was never altered takes the new defaults whole, where the old ones are known', () => {
    fc.assert(
      fc.property(file, own, (defaults, base) => {
        const merged = mergeOptions({ defaults, saved: base, base });
        expect(merged).toMatchObject({ is: 'text', own: [], unknown: [] });
        if (merged.is === 'text')
          for (const [id, text] of told(merged.text)) expect([id, told(defaults).get(id)]).toEqual([id, text]);
      }),
    );
  });

  const PA = '## Performance Analyzer\n-Dtck=100\n-Dpolicy=p\n';
  test.each([
    [
      'in the old defaults',
      { base: `-Dold=1\n\n${PA}`, saved: `-Dold=1\n\n${PA}# ours\n-Dours=1\n` },
      `\n${PA}${KEPT}-Dours=1\n`,
    ],
    ['by its script before', { base: '-Dold=1\n', saved: `-Dold=1\n\n${PA}` }, `\n${PA}`],
    ['by its script just now', { base: '-Dold=1\n', saved: '-Dold=1\n', now: `-Dold=1\n\n${PA}` }, `\n${PA}`],
    [
      'and one was changed',
      { saved: PA.replace('=100', '=50') + '# ours\n-Dours=1\n' },
      `\n${PA.replace('=100', '=50')}${KEPT}-Dours=1\n`,
    ],
    [
      'and a merge had lost the marker',
      {
        base: '-Da=1\n',
        saved: `-Da=1\n${KEPT}-Dtck=100\n-Dpolicy=p\n`,
        now: `-Da=1\n${KEPT}-Dtck=100\n-Dpolicy=p\n\n${PA}`,
      },
      `\n${PA}`,
    ],
  ])('options below the marker of a package stay with it: %s', (_, sources, below) => {
    const merged = mergeOptions({ base: '', ...sources, defaults: '-Dnew=1\n', marker: 'Performance Analyzer' });
    expect(merged).toMatchObject({ is: 'text', text: `-Dnew=1\n${below}` });
  });

  test('a file without options gets none but those of the script', () => {
    const saved = '# all are in jvm.options.d\n';
    const sources = { defaults: '-Xmx1g\n', saved, now: `${saved}\n${PA}`, marker: 'Performance Analyzer' };
    expect(mergeOptions(sources)).toMatchObject({ is: 'text', text: `${saved}\n${PA}`, own: [], unknown: [] });
  });
});
