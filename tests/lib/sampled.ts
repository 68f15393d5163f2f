import fc from 'fast-check';

/**
 * How often a property is tried where trying it is cheap but not free: a fifth of `runs`, other values each time; all of them under
 * `CRASH_POINTS=all`, as each effect of the upgrade then.
 */
export const sampled = (runs: number): number => (process.env['CRASH_POINTS'] === 'all' ? runs : Math.ceil(runs / 5));

/** Any character that has a UTF-8: no half of a surrogate pair. */
const character = fc
  .oneof({ arbitrary: fc.nat(0x7f), weight: 3 }, { arbitrary: fc.nat(0x10ffff - 0x800), weight: 1 })
  .map((n) => String.fromCodePoint(n < 0xd800 ? n : n + 0x800));

/**
 * Text of any characters, control characters among them. The same as fast-check's `unit: 'binary'`, which takes a second to make
 * because it counts out all of Unicode first.
 */
export const anyText = (maxLength = 10): fc.Arbitrary<string> =>
  fc.array(character, { maxLength }).map((characters) => characters.join(''));
