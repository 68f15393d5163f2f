import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { connect } from 'node:net';
import { Duplex } from 'node:stream';
import { agents, type AgentsQuestion } from '../../engine/platforms/security-monitoring/facts/agents.js';
import { failed, reached } from '../../engine/machines/machine.js';
import type { Tunnel } from '../../engine/machines/ssh/tunnel.js';
import { need } from '../../engine/terms/fact.js';
import type { Endpoint } from '../../engine/terms/inventory.js';
import { type Bench, createBench, endpoint, password } from './endpoints-bench.js';
import { closedPort, type Handle, json, startServer, type TestServer } from './http-server.js';

const basicHeader = `Basic ${Buffer.from(`ops:${password}`).toString('base64')}`;
const ok: Handle = (_, response) => json(response, 200, { ok: true });
const page = '<!DOCTYPE html><html><head><title>Not Found</title></head></html>';

let server: TestServer;
let other: TestServer;
const benches: Bench[] = [];
beforeEach(async () => {
  server = await startServer(ok);
  other = await startServer(ok);
});
afterEach(async () => {
  for (const bench of benches.splice(0)) await bench.end();
  await server.end();
  await other.end();
});
const bench = (one: Endpoint, tunnel?: Tunnel): Bench => {
  const made = createBench(one, tunnel);
  benches.push(made);
  return made;
};

/** The management API's doors: signing in gives `token-N`; `valid` says which one counts. */
function managementApi(valid: { token: string }, answer: Handle): Handle {
  let given = 0;
  return (request, response) => {
    if (request.url.startsWith('/security/user/authenticate')) {
      if (request.headers.authorization !== basicHeader) {
        json(response, 401, { title: 'Unauthorized', detail: 'Invalid credentials' });
        return;
      }
      given += 1;
      valid.token = `token-${given}`;
      response.writeHead(200, { 'content-type': 'text/plain' }).end(valid.token);
    } else if (request.headers.authorization !== `Bearer ${valid.token}`)
      json(response, 401, { title: 'Unauthorized' });
    else answer(request, response);
  };
}
const signIns = (): number => server.seen.filter(({ url }) => url.startsWith('/security')).length;

describe('signing in by token', () => {
  it('happens once, by POST with raw=true, and its token serves all later requests', async () => {
    server.handle = managementApi({ token: '' }, ok);
    const { ask } = bench(endpoint([server.url], { auth: 'token' }));
    await Promise.all(Array.from({ length: 20 }, (_, i) => ask(`/agents?offset=${i}`)));
    expect((await ask('/manager/info')).is).toBe('answered');
    expect(signIns()).toBe(1);
    expect(server.seen[0]).toMatchObject({ method: 'POST', url: '/security/user/authenticate?raw=true' });
  });

  it('happens once more when the token is revoked, however many requests learn of it at once', async () => {
    const valid = { token: '' };
    server.handle = managementApi(valid, ok);
    const { ask } = bench(endpoint([server.url], { auth: 'token' }));
    await ask('/');
    valid.token = 'revoked by a change of the security configuration';
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask('/')));
    expect(answers.every((answer) => answer.is === 'answered' && answer.status === 200)).toBe(true);
    expect(signIns()).toBe(2);
  });

  it('is given up when a new token is refused too', async () => {
    server.handle = (request, response) =>
      request.url.startsWith('/security') ? response.end('token') : json(response, 401, {});
    const { askAnything } = bench(endpoint([server.url], { auth: 'token' }));
    expect(await askAnything({ path: '/' })).toMatchObject({ is: 'failed', why: 'no-access' });
    expect(signIns()).toBe(2);
  });

  it('takes a 401 that the endpoint relays as an answer, which says nothing of the sign-in', async () => {
    server.handle = (request, response) => json(response, request.url === '/relay' ? 401 : 200, { ok: true });
    const { askAnything } = bench(endpoint([server.url], { auth: 'basic' }));
    expect(await askAnything({ path: '/relay', relayed: true })).toMatchObject({ value: { status: 401 } });
    expect(await askAnything({ path: '/' })).toMatchObject({ value: { status: 200 } });
  });

  it('reports a wrong password, and does not try it again for a minute', async () => {
    server.handle = (_, response) => json(response, 401, { title: 'Unauthorized' });
    const { askAnything, clock } = bench(endpoint([server.url], { auth: 'token' }));
    const answers = await Promise.all(Array.from({ length: 30 }, () => askAnything({ path: '/' })));
    answers.push(await askAnything({ path: '/' }));
    for (const answer of answers) {
      expect(answer).toMatchObject({
        is: 'failed',
        why: 'no-access',
        reason: expect.stringContaining('does not accept user "ops" with its password (401)'),
        hint: expect.stringContaining('{{secret.ops}}'),
      });
    }
    expect(server.seen.length).toBe(1);
    clock.pass(60_000);
    await askAnything({ path: '/' });
    expect(server.seen.length).toBe(2);
  });

  it('speaks of an address that is locked out', async () => {
    server.handle = (_, response) =>
      json(response, 403, { title: 'Permission Denied', detail: 'Limit of login attempts reached', error: 6000 });
    const { askAnything } = bench(endpoint([server.url], { auth: 'token' }));
    expect(await askAnything({ path: '/' })).toMatchObject({
      is: 'failed',
      why: 'no-access',
      reason: expect.stringContaining('locked this address out'),
      hint: expect.stringContaining('five minutes'),
    });
  });

  it('speaks of an address where something else lives', async () => {
    server.handle = (_, response) => response.writeHead(404, { 'content-type': 'text/html' }).end(page);
    const { askAnything } = bench(endpoint([server.url], { auth: 'token' }));
    expect(await askAnything({ path: '/' })).toMatchObject({
      is: 'failed',
      reason: expect.stringContaining('404 and a web page'),
      hint: 'is endpoints.e the address of the management API?',
    });
  });

  it('gives "not ready" back as it is answered', async () => {
    const notReady = { title: 'Error', error: 1017 };
    server.handle = (_, response) => json(response, 500, notReady);
    const { ask } = bench(endpoint([server.url], { auth: 'token' }));
    expect(await ask('/agents')).toMatchObject({ is: 'answered', status: 500, json: notReady });
    server.handle = managementApi({ token: '' }, (_, response) => json(response, 500, notReady));
    expect(await ask('/agents')).toMatchObject({ is: 'answered', status: 500, json: notReady });
  });
});

it('a question with a body is asked by POST', async () => {
  server.handle = (request, response) => json(response, 200, { asked: request.body });
  const { askAnything } = bench(endpoint([server.url]));
  expect(await askAnything({ path: '/v3/maintenance/status', json: { a: 1 } })).toMatchObject({
    is: 'value',
    value: { is: 'answered', json: { asked: '{"a":1}' } },
  });
  expect(server.seen[0]).toMatchObject({ method: 'POST', headers: { 'content-type': 'application/json' } });
});

describe('signing in by Basic', () => {
  it('sends user and password with each request', async () => {
    const { ask } = bench(endpoint([server.url], { auth: 'basic' }));
    await ask('/_cluster/health');
    expect(server.seen[0]?.headers.authorization).toBe(basicHeader);
  });

  it('tells a wrong password, plain text or not, and stops trying', async () => {
    server.handle = (_, response) => response.writeHead(401).end('Unauthorized');
    const { askAnything } = bench(endpoint([server.url], { auth: 'basic' }));
    expect(await askAnything({ path: '/' })).toMatchObject({ is: 'failed', why: 'no-access' });
    expect(await askAnything({ path: '/' })).toMatchObject({ is: 'failed', why: 'no-access' });
    expect(server.seen.length).toBe(1);
  });
});

describe('too many requests', () => {
  it('are waited out, as long as the server says', async () => {
    let left = 3;
    server.handle = (_, response) =>
      left-- > 0
        ? json(response, 429, { error: 6001 }, left === 2 ? { 'retry-after': '7' } : {})
        : json(response, 200, {});
    const { ask, clock } = bench(endpoint([server.url]));
    expect(await ask('/')).toMatchObject({ status: 200 });
    expect(clock.waits).toEqual([7000, 10_000, 20_000]);
  });

  it('are reported after two minutes', async () => {
    server.handle = (_, response) => json(response, 429, { error: 6001 });
    const { ask, clock } = bench(endpoint([server.url]));
    expect(await ask('/')).toMatchObject({ status: 429 });
    expect(clock.waits.reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(120_000);
  });
});

describe('several addresses', () => {
  it('are asked in order, until one answers', async () => {
    const closed = `http://127.0.0.1:${await closedPort()}`;
    const { ask } = bench(endpoint([closed, server.url, other.url]));
    expect(await ask('/')).toMatchObject({ is: 'answered' });
    expect([server.seen.length, other.seen.length]).toEqual([1, 0]);
  });

  it('that all refuse are reported together', async () => {
    const ports = [await closedPort(), await closedPort()];
    const { ask } = bench(endpoint(ports.map((port) => `http://127.0.0.1:${port}`)));
    expect(await ask('/')).toEqual({
      is: 'unreachable',
      reason: `e: ${ports.map((port) => `127.0.0.1:${port} refuses connections`).join('; ')}`,
    });
  });

  const nodes = (): Endpoint =>
    endpoint([
      { url: server.url, host: 'indexer-1' },
      { url: other.url, host: 'indexer-2' },
    ]);

  it('leave the node out that is being worked on', async () => {
    const { ask } = bench(nodes());
    await ask('/', undefined, ['indexer-1']);
    expect([server.seen.length, other.seen.length]).toEqual([0, 1]);
    await other.end();
    expect(await ask('/', undefined, ['indexer-1'])).toMatchObject({
      is: 'unreachable',
      reason: expect.stringContaining('(not asked, being worked on: indexer-1)'),
    });
    expect(server.seen.length).toBe(0);
  });

  it('are of no account when a node is asked by name', async () => {
    const { ask } = bench(nodes());
    await ask('/', 'indexer-1', ['indexer-1']);
    expect([server.seen.length, other.seen.length]).toEqual([1, 0]);
    await server.end();
    expect((await ask('/', 'indexer-1')).is).toBe('unreachable');
    expect(other.seen.length).toBe(0);
  });

  it('are asked though in hand when there is no other', async () => {
    const { ask } = bench(endpoint([{ url: server.url, host: 'indexer-1' }]));
    expect((await ask('/', undefined, ['indexer-1'])).is).toBe('answered');
  });

  it('are made for a node that has none, out of its own and the first', async () => {
    const { ask, askAnything } = bench(endpoint([{ url: server.url, host: 'indexer-1' }]));
    expect((await ask('/', 'server-1')).is).toBe('answered');
    expect(await askAnything({ path: '/' }, 'nosuch')).toMatchObject({
      is: 'failed',
      reason: 'endpoint "e" has no address on nosuch',
    });
  });
});

describe('an answer', () => {
  it('that redirects is not followed', async () => {
    server.handle = (_, response) => response.writeHead(302, { location: other.url }).end();
    const { ask } = bench(endpoint([server.url]));
    expect(await ask('/')).toMatchObject({ is: 'answered', status: 302 });
    expect(other.seen.length).toBe(0);
  });

  it('that is no JSON is text', async () => {
    server.handle = (_, response) => response.writeHead(503).end('OpenSearch Security not initialized.');
    const { ask } = bench(endpoint([server.url]));
    expect(await ask('/')).toEqual({
      is: 'answered',
      status: 503,
      json: null,
      text: 'OpenSearch Security not initialized.',
    });
  });

  it('that names a secret as we do is refused: what a machine answers is data', async () => {
    server.handle = (_, response) => json(response, 200, { settings: [{ hook: { $secret: 'ops' } }] });
    const { askAnything } = bench(endpoint([server.url], { auth: 'basic' }));
    expect(await askAnything({ path: '/' })).toMatchObject({ is: 'failed', why: 'unreadable' });
  });

  it('has a largest size', async () => {
    const mebibyte = Buffer.alloc(1024 * 1024, 'x');
    server.handle = (_, response) => {
      for (let i = 0; i < 66; i += 1) response.write(mebibyte);
      response.end();
    };
    const { askAnything } = bench(endpoint([server.url]));
    expect(await askAnything({ path: '/' })).toMatchObject({ is: 'failed', why: 'unreadable' });
  });

  it('that does not come in time is a server that cannot be reached', async () => {
    server.handle = () => clock.pass(5_000);
    const { askAnything, clock } = bench(endpoint([server.url]));
    expect(await askAnything({ path: '/', timeoutMs: 5_000 })).toMatchObject({
      value: { is: 'unreachable', reason: expect.stringContaining('did not answer within 5 s') },
    });
  });

  it('is asked for again when a kept connection has died', async () => {
    const { ask } = bench(endpoint([server.url]));
    await ask('/');
    server.handle = (request, response) => {
      server.handle = ok;
      if (request.url === '/again') server.drop();
      else ok(request, response);
    };
    expect(await ask('/again')).toMatchObject({ is: 'answered', status: 200 });
    expect(server.seen.map(({ url }) => url)).toEqual(['/', '/again', '/again']);
  });

  it('is asked for under the path of the address, with what a URL cannot hold encoded', async () => {
    const { ask, askAnything } = bench(endpoint([`${server.url}/base/`]));
    await ask('/a b/ü?q=x y');
    expect(server.seen[0]?.url).toBe('/base/a%20b/%C3%BC?q=x%20y');
    expect(await askAnything({ path: 'no-slash' })).toMatchObject({ is: 'failed', reason: '"no-slash" is no path' });
  });
});

describe('perform', () => {
  it('sends JSON with the values of secrets', async () => {
    server.handle = (request, response) => json(response, 201, JSON.parse(request.body));
    const { perform } = bench(endpoint([server.url], { auth: 'basic' }));
    const outcome = await perform({
      method: 'POST',
      path: '/hook?x=1',
      headers: { 'osd-xsrf': 'true', 'X-Key': { $secret: 'hook' } },
      json: { url: { $text: ['https://h/', { $secret: 'hook' }] }, n: 1 },
    });
    expect(server.seen[0]).toMatchObject({
      method: 'POST',
      url: '/hook?x=1',
      body: '{"url":"https://h/hook-value","n":1}',
      headers: { 'content-type': 'application/json', 'osd-xsrf': 'true', 'x-key': 'hook-value' },
    });
    expect(outcome).toMatchObject({ is: 'answered', status: 201, body: '{"url":"https://h/hook-value","n":1}' });
  });

  it('is unknown when the answer was lost, and no other node is asked to do it again', async () => {
    server.handle = () => server.drop();
    const { perform } = bench(endpoint([server.url, other.url]));
    expect(await perform({})).toMatchObject({
      is: 'unknown',
      why: 'connection',
      detail: expect.stringContaining('closed the connection'),
    });
    expect([server.seen.length, other.seen.length]).toEqual([1, 0]);
  });

  it('is unknown when the answer took too long', async () => {
    server.handle = () => clock.pass(5_000);
    const { perform, clock } = bench(endpoint([server.url, other.url]));
    expect(await perform({ timeoutMs: 5_000 })).toMatchObject({ is: 'unknown', why: 'timeout' });
    expect(other.seen.length).toBe(0);
  });

  it('is refused when no address could be reached: nothing has happened', async () => {
    const { perform } = bench(endpoint([`http://127.0.0.1:${await closedPort()}`]));
    expect(await perform({})).toMatchObject({
      is: 'refused',
      by: 'machine',
      found: expect.stringContaining('refuses connections'),
    });
  });

  it('goes to the next address when the first cannot be reached', async () => {
    const { perform } = bench(endpoint([`http://127.0.0.1:${await closedPort()}`, server.url]));
    expect(await perform({})).toMatchObject({ is: 'answered', status: 200 });
  });

  it('is refused without a secret', async () => {
    const { perform } = bench(endpoint([server.url]));
    expect(await perform({ json: { $secret: 'nosuch' } })).toMatchObject({
      is: 'refused',
      found: 'there is no secret "nosuch"',
    });
    expect(server.seen).toEqual([]);
  });
});

describe('agents', () => {
  const list = Array.from({ length: 7 }, (_, i) => ({
    id: `00${i}`,
    name: `web-${i}`,
    status: 'active',
    ...(i === 6 ? {} : { version: 'v4.12.0' }),
  }));
  const listing: Handle = (request, response) => {
    const query = new URL(request.url, server.url).searchParams;
    const [limit, offset] = [Number(query.get('limit')), Number(query.get('offset'))];
    json(response, 200, {
      data: { affected_items: list.slice(offset, offset + limit), total_affected_items: list.length },
      error: 0,
    });
  };
  const askAgents = async (made: Bench, question: AgentsQuestion): Promise<unknown> => {
    const answer = await made.endpoints.ask(need({ endpoint: 'e' }, agents, question));
    return answer.is === 'value' ? answer.value : answer;
  };

  it('are read page by page, to the last', async () => {
    server.handle = managementApi({ token: '' }, listing);
    const made = bench(endpoint([server.url], { auth: 'token' }));
    const answer = (await askAgents(made, { pageSize: 3, status: 'active' })) as { pages: number; agents: unknown[] };
    expect(answer.pages).toBe(4);
    expect(answer.agents).toEqual(list.map((agent) => ({ ...agent, version: agent.version ?? null })));
    const asked = server.seen.slice(1).map(({ url }) => new URL(url, server.url).searchParams);
    expect(asked.map((query) => [query.get('offset'), query.get('limit'), query.get('sort')])).toEqual([
      ['0', '3', '+id'],
      ['2', '3', '+id'],
      ['4', '3', '+id'],
      ['6', '3', '+id'],
    ]);
    expect(asked.map((query) => query.get('status'))).toEqual(['active', 'active', 'active', 'active']);
  });

  it('are followed past a full page, whatever total the API states', async () => {
    server.handle = (request, response) => {
      const query = new URL(request.url, server.url).searchParams;
      const [limit, offset] = [Number(query.get('limit')), Number(query.get('offset'))];
      json(response, 200, { data: { affected_items: list.slice(offset, offset + limit), total_affected_items: 3 } });
    };
    const answer = (await askAgents(bench(endpoint([server.url])), { pageSize: 3 })) as { agents: unknown[] };
    expect(answer.agents).toHaveLength(7);
  });

  it('are read again when the pages shift, so that none is missed', async () => {
    let asked = 0;
    server.handle = (request, response) => {
      const offset = Number(new URL(request.url, server.url).searchParams.get('offset'));
      // The first agent goes while the first page is read: the others move up by one, and one is on no page.
      const now = (asked += 1) === 1 ? list : list.slice(1);
      json(response, 200, {
        data: { affected_items: now.slice(offset, offset + 3), total_affected_items: now.length },
      });
    };
    const answer = (await askAgents(bench(endpoint([server.url])), { pageSize: 3 })) as { agents: { id: string }[] };
    expect(answer.agents.map(({ id }) => id).sort()).toEqual(list.map(({ id }) => id));
  });

  it.each([
    ['one that was read is removed', [1], 0],
    ['the last that was read is removed', [2], 0],
    ['two are removed and two added, so the total stays', [0, 1], 2],
  ])('are all read though %s meanwhile', async (_what, removed, added) => {
    let asked = 0;
    const later = [
      ...list.filter((_, i) => !removed.includes(i)),
      ...Array.from({ length: added }, (_, i) => ({ id: `01${i}`, name: `new-${i}`, status: 'active' })),
    ];
    server.handle = (request, response) => {
      const offset = Number(new URL(request.url, server.url).searchParams.get('offset'));
      const now = (asked += 1) === 1 ? list : later;
      json(response, 200, {
        data: { affected_items: now.slice(offset, offset + 3), total_affected_items: now.length },
      });
    };
    const answer = (await askAgents(bench(endpoint([server.url])), { pageSize: 3 })) as { agents: { id: string }[] };
    expect(answer.agents.map(({ id }) => id)).toEqual(expect.arrayContaining(later.map(({ id }) => id)));
    expect(asked).toBeLessThan(8);
  });

  it('are not asked for ten thousand times from an API that ignores the offset, or never lists the same twice', async () => {
    let asked = 0;
    server.handle = (_, response) => {
      asked += 1;
      json(response, 200, { data: { affected_items: list.slice(0, 3), total_affected_items: 7 } });
    };
    expect(await askAgents(bench(endpoint([server.url])), { pageSize: 3 })).toMatchObject({
      is: 'failed',
      reason: 'e answers offset 2 of the agent list with agents of the page before (3 agents so far)',
      hint: expect.stringContaining('drop the parameter offset'),
    });
    expect(asked).toBe(2);
    server.handle = (_, response) => {
      asked += 1;
      json(response, 200, { data: { affected_items: [{ id: `x${asked}` }], total_affected_items: 7 } });
    };
    expect(await askAgents(bench(endpoint([server.url])), { pageSize: 3 })).toMatchObject({
      is: 'failed',
      reason: 'e lists other agents each time it is asked',
    });
    expect(asked).toBeLessThan(250);
  });

  it('are read to the end from an API that states more than it lists, or no total', async () => {
    for (const total of [9, undefined]) {
      server.handle = (request, response) => {
        const offset = Number(new URL(request.url, server.url).searchParams.get('offset'));
        json(response, 200, {
          data: { affected_items: list.slice(offset, offset + 3), total_affected_items: total },
        });
      };
      const answer = (await askAgents(bench(endpoint([server.url])), { pageSize: 3 })) as { agents: unknown[] };
      expect(answer.agents).toHaveLength(7);
    }
  });

  it('are counted once each though the list moves, and none are too few', async () => {
    server.handle = (request, response) => {
      const offset = Number(new URL(request.url, server.url).searchParams.get('offset'));
      json(response, 200, {
        data: { affected_items: list.slice(Math.max(0, offset - 1), offset + 2), total_affected_items: list.length },
      });
    };
    const moved = (await askAgents(bench(endpoint([server.url])), { pageSize: 3 })) as { agents: { id: string }[] };
    expect(new Set(moved.agents.map(({ id }) => id)).size).toBe(moved.agents.length);
    server.handle = (_, response) => json(response, 200, { data: { affected_items: [], total_affected_items: 0 } });
    expect(await askAgents(bench(endpoint([server.url])), { pageSize: 3 })).toEqual({
      is: 'answered',
      agents: [],
      pages: 1,
    });
  });

  it.each<readonly [string, Handle, object]>([
    [
      'a permission that is missing',
      (_, r) => json(r, 403, { title: 'Permission Denied', detail: 'agent:read', error: 4000 }),
      { is: 'failed', reason: 'e answered 403: Permission Denied: agent:read (4000)' },
    ],
    [
      'a page of something else',
      (_, r) => r.writeHead(200).end(page),
      {
        is: 'failed',
        reason: 'e answered 200 and a web page: Not Found',
        hint: 'is endpoints.e the address of the management API?',
      },
    ],
    [
      'daemons that are not ready',
      (_, r) => json(r, 500, { title: 'Not ready', error: 1017 }),
      { is: 'failed', reason: 'e answered 500: Not ready (1017)', later: true },
    ],
    [
      'a proxy that finds no server',
      (_, r) => r.writeHead(503).end('no server'),
      { is: 'failed', reason: 'e answered 503: no server', later: true },
    ],
    [
      'an error that stays',
      (_, r) => json(r, 500, { title: 'Internal Error', error: 1000 }),
      { is: 'failed', reason: 'e answered 500: Internal Error (1000)' },
    ],
  ])('tell %s', async (_what, handle, expected) => {
    server.handle = handle;
    expect(await askAgents(bench(endpoint([server.url])), { pageSize: 3 })).toEqual(expected);
  });
});

describe('via a host', () => {
  /** A tunnel out of plain streams, as ssh gives them: no sockets. */
  const tunnelTo = (asked: string[], away: readonly string[] = []): Tunnel => ({
    connect(host, address, port) {
      asked.push(host);
      if (away.includes(host)) return Promise.resolve(failed('unreachable', `${host} is away`));
      const socket = connect(port, address);
      return Promise.resolve(reached(Duplex.from({ readable: socket, writable: socket })));
    },
  });
  const via = (more: Partial<Endpoint>): Endpoint =>
    endpoint(
      [
        { url: server.url, host: 'indexer-1' },
        { url: other.url, host: 'indexer-2' },
      ],
      { via: { role: 'indexer' }, ...more },
    );

  it("goes through the address's own host first", async () => {
    const asked: string[] = [];
    expect((await bench(via({}), tunnelTo(asked)).ask('/')).is).toBe('answered');
    expect(asked).toEqual(['indexer-1']);
  });

  it('never goes through the node being worked on, unless that is asked itself', async () => {
    const asked: string[] = [];
    const made = bench(via({}), tunnelTo(asked));
    expect((await made.ask('/', undefined, ['indexer-1'])).is).toBe('answered');
    expect([asked, server.seen.length]).toEqual([['indexer-2'], 0]);
    expect((await made.ask('/', 'indexer-1', ['indexer-1'])).is).toBe('answered');
    expect(asked).toEqual(['indexer-2', 'indexer-1']);
  });

  it('goes through the next host when one is away, and tells when all are', async () => {
    const asked: string[] = [];
    expect((await bench(via({}), tunnelTo(asked, ['indexer-1'])).ask('/')).is).toBe('answered');
    expect(asked).toEqual(['indexer-1', 'indexer-2']);
    const all = await bench(via({ via: { host: 'server-1' } }), tunnelTo([], ['server-1'])).ask('/');
    expect(all).toMatchObject({
      is: 'unreachable',
      reason: expect.stringContaining('through server-1: server-1 is away'),
    });
  });

  it('carries out requests too', async () => {
    expect(await bench(via({}), tunnelTo([])).perform({ json: { a: 1 } })).toMatchObject({
      is: 'answered',
      status: 200,
    });
    expect(server.seen[0]?.body).toBe('{"a":1}');
  });
});

it('answers nothing else, and says so', async () => {
  const { endpoints } = bench(endpoint([server.url]));
  expect(await endpoints.ask({ of: { host: 'h' }, fact: 'file', key: '/' })).toMatchObject({ is: 'failed' });
  expect(await endpoints.ask({ of: { endpoint: 'e' }, fact: 'file', key: '/' })).toMatchObject({ is: 'failed' });
  expect(await endpoints.ask({ of: { endpoint: 'x' }, fact: 'http', key: '{"path":"/"}' })).toMatchObject({
    is: 'failed',
    reason: 'there is no endpoint "x"',
  });
  expect(await endpoints.perform({ endpoint: 'e' }, { do: 'ask', question: '?' }, { id: 'i' })).toMatchObject({
    is: 'refused',
  });
});
