import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { editBlock, editLine, editPattern, type Edited } from '../../engine/modules/file-edit/edit.js';
import { sampled } from '../lib/sampled.js';

const line = fc.constantFrom('a=1', 'a=2', '#a=1', 'b', '', '# BEGIN runbook', '# END runbook', 'é');
const text = fc
  .tuple(fc.array(line, { maxLength: 6 }), fc.constantFrom('\n', '\r\n'), fc.boolean())
  .map(([lines, end, closed]) => lines.join(end) + (closed && lines.length > 0 ? end : ''));
const wanted = fc.record(
  {
    line: fc.constantFrom('a=1', 'b', 'c'),
    match: fc.constantFrom('^a=', '^#?a=', 'b'),
    after: fc.constantFrom('^a', '^$'),
    before: fc.constantFrom('^b', 'x'),
    state: fc.constantFrom('present' as const, 'absent' as const),
  },
  { requiredKeys: ['line'] },
);

/** Either refused, or settled by its own result. */
const settles = (edit: (t: string) => Edited, before: string): void => {
  const once = edit(before);
  if (once.is === 'text') expect(edit(once.text)).toEqual(once);
};

describe('edits of a text', () => {
  test('twice is once', () => {
    fc.assert(
      fc.property(text, wanted, (t, w) => settles((now) => editLine(now, w), t)),
      { numRuns: sampled(1000) },
    );
    fc.assert(
      fc.property(text, fc.constantFrom('', 'x\n', 'x\r\ny'), fc.boolean(), (t, body, there) =>
        settles((now) => editBlock(now, { text: body, state: there ? 'present' : 'absent' }), t),
      ),
      { numRuns: sampled(1000) },
    );
    fc.assert(
      fc.property(
        text,
        fc.constantFrom('a', '^#?a=', 'b$', '^'),
        fc.constantFrom('a', 'aa', '', '#$&'),
        (t, pattern, by) => settles((now) => editPattern(now, { pattern, with: by }), t),
      ),
      { numRuns: sampled(1000) },
    );
  });

  test('a line that is wanted alters no other line', () => {
    fc.assert(
      fc.property(text, wanted, (t, w) => {
        const edited = editLine(t, { ...w, state: 'present' });
        if (edited.is === 'wrong') return;
        const others = (s: string): string[] =>
          s
            .split(/(?<=\n)/)
            .filter((l) => l !== '')
            .filter((l) => l.trimEnd() !== w.line && !(w.match !== undefined && new RegExp(w.match).test(l.trimEnd())));
        expect(others(edited.text).map((l) => l.replace(/\r?\n$/, ''))).toEqual(
          others(t).map((l) => l.replace(/\r?\n$/, '')),
        );
      }),
      { numRuns: sampled(1000) },
    );
  });
});
