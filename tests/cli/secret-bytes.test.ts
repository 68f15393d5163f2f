import { afterEach, describe, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { linesOf, localHarness, onePlay, type Harness } from './cli-harness.js';

let harness: Harness | undefined;
afterEach(() => {
  harness?.end();
  harness = undefined;
});

const VALUE = 'müller-p4ß-q9';
/** Bytes that never occur in UTF-8, with a space before and after the value. */
const BEFORE = Buffer.from([0xff, 0xc0, 0x20]);
const AFTER = Buffer.from([0x20, 0xfe, 0xc1, 0x0a]);

/** The value as it stands among such bytes, by how a host encodes it. */
const ENCODED: readonly (readonly [string, Buffer])[] = [
  ['UTF-8', Buffer.from(VALUE, 'utf8')],
  ['latin1', Buffer.from(VALUE, 'latin1')],
  ['decomposed UTF-8', Buffer.from(VALUE.normalize('NFD'), 'utf8')],
];
/** What gives it away: each encoding, read as either. */
const FORMS = ENCODED.flatMap(([, bytes]) => [bytes.toString('latin1'), bytes.toString('utf8')]);
const formsIn = (text: string): readonly string[] => FORMS.filter((form) => text.includes(form));

/** Reads a file, runs a command that prints it, writes what it printed, and fails with it on standard error. */
const PLAYBOOK = onePlay(`      - step: read
        command: { argv: [cat, "@/bytes"], changes: nothing, timeout: 10s }
        register: read
      - step: write
        file: { path: "@/copy", state: file, content: "{{registered.read.stdout}}" }
      - step: edit
        file-edit: { path: "@/bytes", lines: [{ line: "added = 1" }] }
      - step: print
        command: { argv: [cat, "@/bytes"], changes: everything, timeout: 10s }
      - step: fail
        command: { argv: [sh, -c, "cat @/bytes >&2; exit 3"], changes: everything, timeout: 10s }
`);

/** The output as it is shown, and as the journal has it: the bytes around the secret stay. */
const SHOWN = 'ÿÀ {{secret.db}} þÁ\n';
const KEPT = { $redacted: ['ÿÀ ', { names: ['db'], exact: expect.any(Boolean) as unknown }, ' þÁ\n'] };

describe('output that is not valid UTF-8 has its secret masked in the journal, in the log and in --json', () => {
  test.each(ENCODED)('a secret in %s', async (_, bytes) => {
    const { run, runs, read, path, everythingOf, journalOf } = (harness = localHarness(
      PLAYBOOK,
      '{ db: { env: DB_PASSWORD } }',
    ));
    writeFileSync(path('bytes'), Buffer.concat([BEFORE, bytes, AFTER]));
    const env = { DB_PASSWORD: VALUE };
    const apply = await run(['apply', 'test.yaml', '-y', '--json'], { env });
    const resume = await run(['resume', '-y', '-D', '-vvv'], { env });
    expect([apply.exitCode, resume.exitCode]).toEqual([1, 1]);
    const id = runs()[0] ?? '';
    const value = (stdout: unknown) => expect.objectContaining({ name: 'read', value: { exit: 0, stdout } }) as unknown;
    expect(linesOf(apply.stdout).map(({ event }) => event)).toContainEqual(value(SHOWN));
    expect(journalOf(id).map(({ event }) => event)).toContainEqual(value(KEPT));
    expect(read(`.runbook/runs/${id}/run.log`)).toContain(`status 3: ${SHOWN.trimEnd()} | added = 1; status 3\n`);
    for (const { stdout, stderr } of [apply, resume]) expect(formsIn(`${stdout}${stderr}`)).toEqual([]);
    expect(formsIn(everythingOf(id))).toEqual([]);
  });
});
