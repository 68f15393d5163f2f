import { afterEach, describe, expect, test } from '@jest/globals';
import { startServer, type TestServer } from '../../machines/http-server.js';
import { localHarness, onePlay, touch, type Harness } from '../cli-harness.js';

let harness: Harness | undefined;
let server: TestServer | undefined;
afterEach(async () => {
  harness?.end();
  await server?.end();
  harness = server = undefined;
});

const FOUND = 'As planned: all 1 step.';
const PLAYBOOK = onePlay(`      - step: raise the level
        http: { endpoint: api, method: PUT, path: /settings, json: { level: 2 } }
`);
/** Applies against a server whose settings read as `after` once they were put. */
async function applied(after: string) {
  let text = '{"level":1,"name":"n"}';
  server = await startServer(({ method }, response) => {
    if (method === 'PUT') text = after;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(method === 'PUT' ? '{}' : text);
  });
  harness = localHarness(PLAYBOOK);
  harness.write(
    'inventory.yaml',
    `platform: {}\nendpoints: { api: { url: "${server.url}", auth: none } }\nsecrets: {}\nhosts: { a: { address: 127.0.0.1, machine: local } }\n`,
  );
  const { exitCode, stdout } = await harness.run(['apply', 'test.yaml', '-y']);
  const { stdout: shown } = await harness.run(['show']);
  const observed = harness.journalOf(harness.runs()[0] ?? '').filter(({ event }) => event.e === 'observed');
  return { exitCode, stdout, shown, observed: observed.length };
}

describe('an answer in JSON after an act', () => {
  test.each([
    ['in lines', '{\n  "level": 2,\n  "name": "n"\n}\n'],
    ['in another order, with spaces', ' { "name" : "n" , "level" : 2 } '],
  ])('that differs from the predicted one in white space only is found as predicted: %s', async (_, after) => {
    const { exitCode, stdout, shown, observed } = await applied(after);
    expect([exitCode, observed]).toEqual([0, 0]);
    for (const text of [stdout, shown]) {
      expect(text).toContain(FOUND);
      expect(text).not.toContain('≠');
    }
  });

  test('that differs in white space within a value is reported as a difference', async () => {
    const { exitCode, stdout, observed } = await applied('{"level":2,"name":"n "}');
    expect([exitCode, observed]).toEqual([0, 1]);
    expect(stdout).toContain('1 difference from its plan of 1 step:\n');
  });
});

test('no view of a run that failed states that everything was found as predicted, until a resume ends it', async () => {
  const fail = `      - step: fail\n        command: { argv: [test, -e, "@/go"], changes: everything, repeatable: true, timeout: 10s }\n`;
  const { run, write } = (harness = localHarness(onePlay(`${touch('one', 'one')}${fail}`)));
  const apply = await run(['apply', 'test.yaml', '-y']);
  const views = [apply, await run(['show']), await run(['show', '-v', '-D']), await run(['runs'])];
  expect([apply.exitCode, views[1]?.stdout]).toEqual([1, expect.stringContaining(' 1 changed   1 failed')]);
  for (const { stdout, stderr } of views) expect(`${stdout}${stderr}`).not.toContain('As planned');
  write('go', '');
  expect((await run(['resume', '-y'])).exitCode).toBe(0);
  expect((await run(['show'])).stdout).toContain('1 difference from its plan of 2 steps:\n  ↻ a  fail');
});
