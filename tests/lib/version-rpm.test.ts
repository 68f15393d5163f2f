import { describe, expect, test } from '@jest/globals';
import { compareRpm } from '../../engine/lib/version-rpm.js';

/** What rpm 4.18 itself says (`rpm --eval '%{lua:print(rpm.vercmp(a, b))}'`). */
const said = `
1.0 1.0 0
1.0 1.0.0 -1
4.9 4.14 -1
1.0~rc1 1.0 -1
1.0^git1 1.0 1
1.0^git1 1.0.1 -1
1.0.beta 1.0.1 -1
1.a 1.1 -1
1.05 1.5 0
1.0a 1.0 1
1_0 1.0 0
10xyz 10.1xyz -1
a b -1
1.0~ 1.0~~ 1
1..2 1.2 0
1.0a1 1.0a2 -1
2.0.1a 2.0.1 1
1.0^ 1.0 1
1.0^a 1.0^b -1
1~^ 1~ 1
20240101 9 1
1.2-3 1.2-10 -1
1.2-1.el9 1.2-1 1
1:1.0-1 2.0-1 1
0:1.0-1 1.0-1 0
1.0 1.0-5 0
`;

describe("rpm's order", () => {
  const rows = said
    .trim()
    .split('\n')
    .map((line) => line.split(' ') as [string, string, string]);
  test.each(rows)('%s against %s is %s', (a, b, order) => {
    expect(compareRpm(a, b)).toBe(Number(order));
    expect(compareRpm(b, a) + Number(order)).toBe(0);
  });
});
