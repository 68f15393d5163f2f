import { afterEach, describe, expect, test } from '@jest/globals';
import { localDesk, modelDesk, onePlay, type Desk } from './desk.js';

let desk: Desk | undefined;
const open = (made: Desk): Desk => (desk = made);
afterEach(() => {
  desk?.end();
  desk = undefined;
});

/** Characters that every encoding writes otherwise. */
const VALUE = 'p4ss/wörd+ "quoted" & more?';
/** What gives it away: itself and its usual forms. */
const FORMS = [
  VALUE,
  encodeURIComponent(VALUE),
  new URLSearchParams({ p: VALUE }).toString().slice(2),
  JSON.stringify(VALUE).slice(1, -1),
  Buffer.from(VALUE).toString('base64'),
  Buffer.from(VALUE).toString('base64url'),
  Buffer.from(`admin:${VALUE}`).toString('base64'),
];
const formsIn = (text: string): readonly string[] => FORMS.filter((form) => text.includes(form));

describe('a secret stays out of everything that is shown or kept', () => {
  test('of a run whose failing step prints it in every form', async () => {
    const playbook = onePlay(
      `      - step: keep it
        file: { path: "@/secret.conf", state: file, mode: "0600", content: "user=admin\\npassword={{secret.db}}\\n" }
      - step: through standard input
        command: { argv: [cat], stdin: "{{secret.db}}", changes: everything, timeout: 10s }
        register: told
      - step: leaks and fails
        command: { argv: [sh, -c, "cat @/secret.conf; sed -n s/password=//p @/secret.conf | tr -d '\\\\n' | base64 -w0 >&2; exit 3"], changes: everything, timeout: 10s }
`,
    );
    const { run, runs, everythingOf, read } = open(localDesk(playbook, '{ db: { env: DB_PASSWORD } }'));
    const env = { DB_PASSWORD: VALUE };
    const plan = await run(['plan', 'test.yaml', '-D', '-v'], { env });
    const apply = await run(['apply', 'test.yaml', '-y', '-D', '-vvv'], { env });
    const resume = await run(['resume', '-D', '-vvv'], { env });
    const shown = [plan, apply, resume, await run(['show', '-D', '-v']), await run(['show', '--json'])]
      .map((r) => `${r.stdout}${r.stderr}`)
      .join('\n');
    expect(apply.exitCode).toBe(1);
    expect(read('secret.conf')).toBe(`user=admin\npassword=${VALUE}\n`);
    expect(formsIn(shown)).toEqual([]);
    expect(formsIn(everythingOf(runs()[0] ?? ''))).toEqual([]);
    // The error itself is not hidden.
    expect(apply.stdout).toContain('ended with status 3');
    expect(shown).toContain('{{secret.db}}');
  });

  test('of a run that is refused with a wrong password', async () => {
    const { run, runs, everythingOf } = open(
      modelDesk('{ from: 4.12.0, options: { passwords: { api: right, indexer: right } } }'),
    );
    const env = { RUNBOOK_DEMO_API_PASSWORD: VALUE, RUNBOOK_DEMO_INDEXER_PASSWORD: VALUE };
    const ran = await run(['apply', 'upgrade-4.14.yaml', '-y', '-vvv'], { env });
    expect(ran.exitCode).toBe(3);
    expect(ran.stdout).toMatch(/401|password|denied|Unauthorized/i);
    expect(formsIn(`${ran.stdout}${ran.stderr}${everythingOf(runs()[0] ?? '')}`)).toEqual([]);
  });

  test('one that is not set is named, with where it should come from', async () => {
    const { run } = open(
      localDesk(
        onePlay('      - step: need it\n        file: { path: "@/x", state: file, content: "{{secret.db}}" }\n'),
        '{ db: { env: DB_PASSWORD } }',
      ),
    );
    const ran = await run(['apply', 'test.yaml', '-y']);
    expect(ran.exitCode).not.toBe(0);
    expect(ran.stdout).toContain('DB_PASSWORD');
  });

  test('one that only a person knows, with nobody there: says so', async () => {
    const { run } = open(
      localDesk(
        onePlay('      - step: need it\n        file: { path: "@/x", state: file, content: "{{secret.db}}" }\n'),
        '{ db: { prompt: The password } }',
      ),
    );
    const ran = await run(['apply', 'test.yaml', '-y']);
    expect([ran.exitCode === 0, ran.stdout]).toEqual([false, expect.stringMatching(/terminal/)]);
  });
});
