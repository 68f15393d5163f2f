import { resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseFlags, selectionArgv, type Flags } from '../../engine/cli/options/flags.js';
import { OPTION_BY_NAME } from '../../engine/cli/options/options.js';
import { choosingArgv } from '../../engine/cli/plan/plan-file.js';

const planFlags = (argv: readonly string[]): Flags => parseFlags('plan', argv);

const value = fc.string({ minLength: 1 }).filter((text) => text.replaceAll(',', '').trim() !== '');
const selecting = [...OPTION_BY_NAME].filter(([, { option }]) => option.selects);

/** Each of these options, or not, or several times where that is allowed. */
const argv = fc
  .tuple(
    ...selecting.map(([name, { option }]) => {
      const once = option.type === 'boolean' ? fc.constant(`--${name}`) : value.map((text) => `--${name}=${text}`);
      return fc.array(once, { maxLength: option.multiple === true ? 3 : 1 });
    }),
  )
  .map((parts) => parts.flat());

test('the options that select what is planned are written as they were given', () => {
  expect(selecting.length).toBeGreaterThan(8);
  fc.assert(
    fc.property(argv, (given) => {
      const flags = planFlags(given);
      expect(planFlags(selectionArgv(flags))).toEqual(flags);
    }),
  );
});

test.each<[given: readonly string[], kept: readonly string[]]>([
  [['p.yaml'], ['p.yaml']],
  [
    ['p.yaml', '-i', 'a.yaml', '-f', '3'],
    ['p.yaml', '-i', resolve('a.yaml')],
  ],
  [['p.yaml', '--reason', 'of the page'], ['p.yaml']],
  [
    ['p.yaml', '--reason', 'it is broken', '--waive', 'same_version', '--limit=-web'],
    ['p.yaml', '--limit=-web', '--waive', 'same_version', '--reason', 'it is broken'],
  ],
])('a plan file keeps %j as %j', (given, kept) => {
  expect(choosingArgv(planFlags(given), {})).toEqual(kept);
});
