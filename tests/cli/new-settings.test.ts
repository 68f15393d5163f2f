import { afterEach, expect, test } from '@jest/globals';
import { localDesk, onePlay, type Desk } from './desk.js';

let desk: Desk | undefined;
afterEach(() => {
  desk?.end();
  desk = undefined;
});

const LOOK = onePlay(`      - step: report
        new-settings: { path: "@/app.yml", format: yaml }
        spec: "9.5.1"
`);

test.each(['.dpkg-dist', '.rpmnew', '.new'])(
  'settings that only %s has are listed in the plan, at the end of the run, and in both parts of show',
  async (suffix) => {
    const { run, write, path } = (desk = localDesk(LOOK));
    write('app.yml', 'port: 444\n');
    write(`app.yml${suffix}`, 'port: 443\ncookie:\n  secure: true\nlimit: 5\n');
    const lines = [
      `! ${path('app.yml')} was kept; ${path(`app.yml${suffix}`)} has settings that it lacks. Add by hand what you need:`,
      '+ cookie.secure: true',
      '+ limit: 5',
    ];
    const inPlan = lines.map((line, i) => `${' '.repeat(i === 0 ? 9 : 13)}${line}\n`).join('');
    const atEnd = `\n${lines.join('\n    ').replace('!', '! a ')}  §9.5.1\n✓ Try: done`;
    const plan = await run(['plan', 'test.yaml']);
    expect(plan.stdout).toContain(inPlan);
    const apply = await run(['apply', 'test.yaml', '-y']);
    expect(apply.stdout).toContain(atEnd);
    const { stdout } = await run(['show']);
    expect([stdout.includes(inPlan), stdout.includes(atEnd)]).toEqual([true, true]);
  },
);
