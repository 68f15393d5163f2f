import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { choosingOptions, parseFlags } from '../../engine/cli/options/flags.js';

/** Of an option: neither empty nor like another option. */
const value = fc
  .string({ minLength: 1 })
  .filter((text) => text.replaceAll(',', '').trim() !== '' && !text.startsWith('-'));
const several = (option: string) => fc.array(value).map((all) => all.flatMap((one) => [option, one]));
const once = (option: string, of = value) =>
  fc.option(of, { nil: undefined }).map((one) => (one === undefined ? [] : [option, one]));

const argv = fc
  .tuple(
    ...[several('-i'), once('-l'), several('-e'), once('--tags'), once('--skip-tags'), once('--start-at-step')],
    ...[once('--window'), several('--waive'), once('--reason'), fc.constantFrom([], ['-b'])],
  )
  .map((parts) => parts.flat());

test('a plan file keeps each option that chooses what is planned, as it was given', () => {
  fc.assert(
    fc.property(argv, (given) => {
      const flags = parseFlags('plan', given);
      if ('mistake' in flags) throw new Error(flags.mistake);
      expect(parseFlags('plan', choosingOptions(flags))).toEqual(flags);
    }),
  );
});
