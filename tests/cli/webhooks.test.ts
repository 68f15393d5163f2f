import { afterEach, describe, expect, test } from '@jest/globals';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openWebhooks } from '../../engine/cli/run/webhooks.js';
import { localHarness, onePlay, touch, type Harness } from './cli-harness.js';
import { hasScript, sit } from './sit.js';

let harness: Harness | undefined;
const servers: Server[] = [];
afterEach(async () => {
  harness?.end();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
});

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
const taken: Answer = (_request, response) => void response.writeHead(204).end();

/** A server on loopback that keeps the bodies that it is sent. */
async function hook(answer: Answer = taken) {
  const bodies: unknown[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part: Buffer) => (text += part.toString()));
    request.on('end', () => {
      bodies.push(JSON.parse(text));
      answer(request, response);
    });
  });
  servers.push(server);
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return { bodies, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/T0P-53CR3T` };
}

const PLAY = onePlay(touch('one', 'one'));
const FAILS = onePlay(
  '      - step: no\n        command: { argv: [sh, -c, "exit 3"], changes: [/nowhere/x], timeout: 5s }\n',
);

function open(notify: string, playbook = PLAY): Harness {
  harness = localHarness(playbook, '{ hook: { env: HOOK } }');
  harness.write('inventory.yaml', `${harness.read('inventory.yaml')}notify: ${notify}\n`);
  return harness;
}

describe('webhooks of an inventory', () => {
  (hasScript ? test : test.skip)('are called where a pause waits for an answer', async () => {
    const { bodies, url } = await hook();
    const at = open('{ pager: { url: "{{secret.hook}}", on: [waiting], body: { summary: "{{text}}" } } }');
    const args = ['apply', 'test.yaml', '-y', '--pause-before', 'Work'];
    const sat = await sit(at, args, [[/Continue\?/, 'y']], { HOOK: url });
    expect([sat.exitCode, bodies]).toEqual([
      0,
      [{ summary: expect.stringContaining('waits for an answer: Paused before "Work". Continue?') }],
    ]);
  });

  test('are called at the start, each phase and the end, with the names of their body; the address stays secret', async () => {
    const { bodies, url } = await hook();
    const at = open(
      '{ pager: { url: "{{secret.hook}}", body: { summary: "{{text}}", kind: ["{{event}}", 7], at: "{{phase}} {{ticket}}" } } }',
    );
    const ran = await at.run(['apply', 'test.yaml', '-y', '--ticket', 'CHG-1'], { env: { HOOK: url } });
    expect(ran.exitCode).toBe(0);
    const told = bodies as { summary: string; kind: unknown[]; at: string }[];
    expect(told.map(({ kind, at: where }) => [...kind, where])).toEqual([
      ['start', 7, ' CHG-1'],
      ['phase-start', 7, 'Work CHG-1'],
      ['phase-end', 7, 'Work CHG-1'],
      ['end', 7, ' CHG-1'],
    ]);
    expect(told[0]?.summary).toMatch(/^runbook: Try: started by \S+@\S+ \(CHG-1\)$/);
    expect(told[3]?.summary).toMatch(/^runbook: Try: done, after /);
    expect(`${ran.stdout}${ran.stderr}${at.everythingOf(at.runs()[0] ?? '')}`).not.toContain('T0P-53CR3T');
  });

  test('one that names events is called for these alone; a plan calls none', async () => {
    const { bodies, url } = await hook();
    const at = open(`{ a: { url: "${url}", on: [phase-end, failure] } }`, FAILS);
    await at.run(['plan', 'test.yaml']);
    expect((await at.run(['apply', 'test.yaml', '-y'])).exitCode).toBe(1);
    expect(bodies).toEqual([
      { text: 'runbook: Try: phase Work failed' },
      { text: expect.stringMatching(/^runbook: Try: failed: a failed in "Work", after /) },
    ]);
  });

  test.each<readonly [string, Answer, RegExp]>([
    ['answers 500', (_q, response) => void response.writeHead(500).end('no'), /status 500/],
    ['redirects', (_q, r) => void r.writeHead(302, { location: '/other' }).end(), /redirects \(status 302\)/],
    ['ends the connection', (request) => void request.socket.destroy(), /webhook "a": /],
  ])('one that %s is reported once, and the run goes on', async (_how, answer, message) => {
    const { bodies, url } = await hook(answer);
    const at = open(`{ a: { url: "${url}" } }`);
    const ran = await at.run(['apply', 'test.yaml', '-y']);
    expect([ran.exitCode, bodies.length]).toEqual([0, 4]);
    expect(ran.stderr).toMatch(message);
    expect(ran.stderr.match(/The run continues\./g)).toHaveLength(1);
  });

  test('one that never answers costs the end of a run one limit, not one for each call, and what did not arrive is counted', async () => {
    const { bodies, url } = await hook(() => undefined);
    const said: string[] = [];
    const secrets = { value: () => Promise.reject(new Error('no secret')), redact: (text: string) => text };
    const webhooks = openWebhooks(
      [{ name: 'a', url, body: {}, on: new Set(['phase-start']) }],
      secrets,
      (text) => said.push(text),
      200,
    );
    for (let phase = 1; phase <= 20; phase += 1) {
      const started = {
        e: 'play-started',
        play: 'p',
        name: `Phase ${phase}`,
        within: [],
        hosts: [],
        serial: false,
      } as const;
      webhooks.on({ seq: phase, atMs: 0, event: started });
    }
    await webhooks.close();
    expect(bodies.length).toBeLessThan(4);
    expect(said.at(-1)).toMatch(/^Warning: webhook "a": \d+ calls did not arrive before the run ended\.$/);
  });

  test.each([
    ['{ a: { url: "{{secret.hok}}" } }', 'webhook "a": there is no secret "hok"'],
    ['{ a: { url: "https://x.example", body: { text: "{{txt}}" } } }', 'webhook "a": its body names {{txt}}'],
    ['{ a: { url: "https://x.example", on: [failed] } }', '"failed"'],
    ['{ a: { url: "https://me:pw@x.example" } }', 'url'],
  ])('a mistake is one message: %s', async (notify, message) => {
    const ran = await open(notify).run(['validate', 'test.yaml']);
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain(message);
    expect(ran.stderr).toContain('1 mistake in 1 file');
  });
});
