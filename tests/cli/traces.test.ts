import { afterEach, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { localHarness, onePlay, program, type Harness } from './cli-harness.js';

/* What no code of ours expected, in a program of its own: no trace that is shown or kept has a secret in it. */

const SECRET = 'correct-horse-battery';
const STEP = `      - step: Look
        command: { argv: [trip, "1"], changes: nothing, timeout: 5s }
`;

let harness: Harness | undefined;
afterEach(() => harness?.end());

/** Runs the program with this loaded before it. */
async function run(args: readonly string[], preload: string) {
  harness = localHarness(onePlay(STEP, ''), '{ pw: { env: PW } }');
  harness.write('preload.mjs', `const thrown = () => new Error(\`it met \${process.env.PW} there\`);\n${preload}`);
  const env = { PW: SECRET, NODE_OPTIONS: `--import=${harness.path('preload.mjs')}` };
  return harness.run([...args, '-i', 'inventory.yaml'], { env });
}

/** What the step asks of its host is made by this. */
const IN_THE_STEP = `
  const { stringify } = JSON;
  JSON.stringify = (...args) => {
    const text = stringify(...args);
    if (text?.startsWith('{"argv":["trip"')) throw thrown();
    return text;
  };
`;

test.each([
  ['plan', ['plan', 'test.yaml'], /NOT COMPLETE.*FAILED 1 a: Look: /],
  ['apply', ['apply', 'test.yaml', '-y'], /✗ a Look .*Nothing was changed/],
])('%s, where a step cannot be judged: it is not complete, and says where the trace lies', async (_, args, words) => {
  const { exitCode, stdout, stderr } = await run(args, IN_THE_STEP);
  const log = harness?.path('.runbook/defects.log') ?? '';
  const shown = `${stdout}\n${stderr}`.replace(/\s+/g, ' ');
  expect([exitCode, exitCode === 4 ? '' : stderr]).toEqual([4, '']);
  expect(shown).toMatch(words);
  expect(shown).toContain('a defect of runbook: Error: it met {{secret.pw}} there');
  expect(shown).toContain(`its trace is in ${log}`);
  const kept = readFileSync(log, 'utf8');
  expect(kept).toMatch(/Work\/Look on host:a\nError: it met \{\{secret\.pw\}\} there\n +at /);
  expect(`${shown}${kept}`).not.toContain(SECRET);
});

test.each([
  ['while a page is written', 'process.stdout.write = () => { throw thrown(); };'],
  [
    'where nothing waits for it',
    'process.stdout.write = () => { setImmediate(() => { throw thrown(); }); return true; };',
  ],
])('thrown %s: the trace on the screen has no secret', async (_, preload) => {
  const { exitCode, stderr } = await run(['plan', 'test.yaml'], preload);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^runbook: internal error: Error: it met \{\{secret\.pw\}\} there\n +at /m);
  expect(stderr).not.toContain(SECRET);
});

test('a limit of address space that stops the SSH library is named as one of this machine, not of the host', async () => {
  harness = localHarness(onePlay(STEP.replace('changes: nothing', 'creates: /none, changes: everything'), ''));
  const server = createServer((socket) => void socket.on('error', () => undefined).write('SSH-2.0-test\r\n'));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const host = `{ address: 127.0.0.1, ssh: { port: ${port}, user: ops } }`;
  harness.write('inventory.yaml', `platform: {}\nendpoints: {}\nsecrets: {}\nhosts:\n  a: ${host}\n`);
  const limited = 'ulimit -v 4000000; exec "$0" "$@"';
  const { exitCode, stdout, stderr } = await execa(
    'sh',
    ['-c', limited, process.execPath, program, 'plan', 'test.yaml'],
    { cwd: harness.folder, reject: false, stdin: 'ignore' },
  );
  server.close();
  expect([exitCode, stdout.replace(/\s+/g, ' ')]).toEqual([
    4,
    expect.stringMatching(/a: 127\.0\.0\.1:\d+ was not tried: this machine gives .* too little address space → raise/),
  ]);
  expect(stderr).not.toMatch(/^\s+at /m);
});
