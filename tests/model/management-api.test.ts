import { describe, expect, test } from '@jest/globals';
import {
  createManagement,
  handleManagementRequest,
  type ManagementState,
} from '../../engine/platforms/security-monitoring/simulator/management-api.js';
import { reportAgent } from '../../engine/platforms/security-monitoring/simulator/management-state.js';

const START = 1_700_000_000_000;
const basic = (password: string): Record<string, string> => ({
  Authorization: `Basic ${Buffer.from(`ops:${password}`).toString('base64')}`,
});

/** A session over one state: what a client sees, time given. */
function session(seed: Partial<Parameters<typeof createManagement>[0]> = {}) {
  let state: ManagementState = createManagement({
    version: '4.14.7',
    user: 'ops',
    password: 'right',
    agents: [
      { name: 'web-1', version: '4.12.0' },
      { name: 'web-2', version: '4.12.0', status: 'disconnected' },
      { name: 'new' },
    ],
    readyAtMs: START,
    ...seed,
  });
  let token = '';
  const call = (
    method: string,
    path: string,
    options: { atMs?: number; headers?: Record<string, string>; query?: Record<string, string> } = {},
  ) => {
    const handled = handleManagementRequest(state, {
      method,
      path,
      query: options.query ?? {},
      headers: options.headers ?? { authorization: `Bearer ${token}` },
      body: '',
      atMs: options.atMs ?? START,
    });
    state = handled.state;
    const { status, headers, body } = handled.response;
    const json: unknown = headers['content-type']?.startsWith('application/json') ? JSON.parse(body) : undefined;
    return { status, body, json };
  };
  const signIn = (password = 'right', atMs = START, raw = true) => {
    const answer = call('POST', '/security/user/authenticate', {
      headers: basic(password),
      atMs,
      query: raw ? { raw: 'true' } : {},
    });
    if (answer.status === 200 && raw) token = answer.body;
    return answer;
  };
  return { call, signIn, alter: (f: (s: ManagementState) => ManagementState) => (state = f(state)) };
}

const upgrade = (s: ReturnType<typeof session>, list: string, query: Record<string, string> = {}, atMs = START) =>
  s.call('PUT', '/agents/upgrade', { query: { agents_list: list, ...query }, atMs });

describe('signing in (§5.1)', () => {
  test('raw=true gives the bare token, without it the token is in JSON, and either opens the API', () => {
    const s = session();
    expect(s.signIn('right', START, false).json).toEqual({
      data: { token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) },
      error: 0,
    });
    expect(s.signIn().status).toBe(200);
    expect(s.call('GET', '/manager/info').json).toMatchObject({
      data: { affected_items: [{ version: 'v4.14.7' }] },
      error: 0,
    });
  });

  test('a wrong password is 401 as JSON, also with raw=true', () => {
    expect(session().signIn('wrong')).toMatchObject({
      status: 401,
      json: { title: 'Unauthorized', detail: expect.any(String) },
    });
  });

  test('a token lasts 900 s', () => {
    const s = session();
    s.signIn();
    expect(s.call('GET', '/agents', { atMs: START + 899_999 }).status).toBe(200);
    expect(s.call('GET', '/agents', { atMs: START + 900_000 }).status).toBe(401);
  });

  test('a change of the security configuration revokes every token; signing in again opens it', () => {
    const s = session();
    s.signIn();
    expect(s.call('PUT', '/security/user/revoke').status).toBe(200);
    expect(s.call('GET', '/agents')).toMatchObject({ status: 401, json: { title: 'Unauthorized' } });
    s.signIn();
    expect(s.call('GET', '/agents').status).toBe(200);
  });

  test('50 failed logins within 300 s block the address with 403 and 6000, also for the right password, for 300 s', () => {
    const s = session();
    for (let i = 0; i < 49; i++) expect(s.signIn('wrong', START + i).status).toBe(401);
    s.signIn('wrong', START + 49);
    expect(s.signIn('right', START + 50)).toMatchObject({ status: 403, json: { error: 6000 } });
    expect(s.signIn('right', START + 49 + 300_000).status).toBe(200);
  });

  test('failed logins further apart than 300 s block nothing', () => {
    const s = session();
    for (let i = 0; i < 60; i++) expect(s.signIn('wrong', START + i * 10_000).status).toBe(401);
    expect(s.signIn('right', START + 600_000).status).toBe(200);
  });

  test('the 301st request of a minute is 429 with 6001; the next minute is free again', () => {
    const s = session();
    s.signIn();
    for (let i = 0; i < 299; i++) expect(s.call('GET', '/manager/info').status).toBe(200);
    expect(s.call('GET', '/manager/info')).toMatchObject({ status: 429, json: { error: 6001 } });
    expect(s.call('GET', '/manager/info', { atMs: START + 60_000 }).status).toBe(200);
  });

  test('no token, an unknown path and a wrong method', () => {
    const s = session();
    s.signIn();
    expect(s.call('GET', '/agents', { headers: {} }).status).toBe(401);
    expect(s.call('GET', '/nowhere').status).toBe(404);
    expect(s.call('DELETE', '/agents/upgrade').status).toBe(405);
    expect(s.call('GET', '/agents', { query: { statsu: 'active' } }).status).toBe(400);
  });

  test('a permission taken away is 403 with 4000', () => {
    const s = session({ denied: ['agent:upgrade'] });
    s.signIn();
    expect(upgrade(s, '001')).toMatchObject({ status: 403, json: { error: 4000 } });
    expect(s.call('GET', '/agents').status).toBe(200);
  });

  test('until the daemons are ready everything but signing in answers 1017', () => {
    const s = session({ readyAtMs: START + 20_000 });
    expect(s.signIn().status).toBe(200);
    expect(s.call('GET', '/manager/info')).toMatchObject({ status: 500, json: { error: 1017 } });
    expect(s.call('GET', '/manager/info', { atMs: START + 20_000 }).status).toBe(200);
  });
});

describe('GET /agents (§4.1)', () => {
  test('lists the manager as 000, leaves out the version of one that never connected, filters by status', () => {
    const s = session();
    s.signIn();
    expect(s.call('GET', '/agents').json).toMatchObject({
      data: {
        total_affected_items: 4,
        affected_items: [
          { id: '000' },
          { id: '001', name: 'web-1', version: 'v4.12.0', status: 'active' },
          { id: '002' },
          { id: '003', name: 'new', status: 'never_connected' },
        ],
      },
    });
    expect(
      (s.call('GET', '/agents').json as { data: { affected_items: object[] } }).data.affected_items[3],
    ).not.toHaveProperty('version');
    expect(s.call('GET', '/agents', { query: { status: 'active', limit: '5' } }).json).toMatchObject({
      data: { total_affected_items: 2, affected_items: [{ id: '000' }, { id: '001' }] },
    });
  });

  test('a version may carry the product name', () => {
    const s = session({ versionPrefix: 'Product v' });
    s.signIn();
    expect(s.call('GET', '/agents', { query: { agents_list: '001' } }).json).toMatchObject({
      data: { affected_items: [{ version: 'Product v4.12.0' }] },
    });
  });

  test('500 a page by default, the rest by offset, never more than 100000', () => {
    const s = session({ agents: Array.from({ length: 1200 }, (_, i) => ({ name: `a${i}`, version: '4.12.0' })) });
    s.signIn();
    const page = (query: Record<string, string>) =>
      s.call('GET', '/agents', { query }).json as {
        data: { affected_items: { id: string }[]; total_affected_items: number };
      };
    expect(page({}).data.affected_items).toHaveLength(500);
    expect(page({ offset: '1000' }).data.affected_items).toHaveLength(201);
    expect(page({ offset: '1200' }).data.affected_items).toEqual([expect.objectContaining({ id: '1200' })]);
    expect(page({ limit: '100000' }).data.affected_items).toHaveLength(1201);
    expect(s.call('GET', '/agents', { query: { limit: '100001' } })).toMatchObject({
      status: 400,
      json: { error: 1405 },
    });
    expect(s.call('GET', '/agents', { query: { limit: '0' } })).toMatchObject({ status: 400, json: { error: 1406 } });
  });
});

describe('PUT /agents/upgrade (§9.7)', () => {
  test('all taken is error 0, none is 1, some is 2, always with status 200', () => {
    const s = session({
      agents: [
        { name: 'a', version: '4.12.0' },
        { name: 'b', version: '4.12.0' },
      ],
    });
    s.signIn();
    expect(upgrade(s, '001')).toMatchObject({
      status: 200,
      json: { data: { affected_items: [{ agent: '001', task_id: 1 }], failed_items: [] }, error: 0 },
    });
    expect(upgrade(s, '001')).toMatchObject({ status: 200, json: { data: { affected_items: [] }, error: 1 } });
    expect(upgrade(s, '001,002')).toMatchObject({
      status: 200,
      json: {
        data: {
          affected_items: [{ agent: '002', task_id: 2 }],
          failed_items: [{ error: { code: 1820 }, id: ['001'] }],
        },
        error: 2,
      },
    });
  });

  const agents = [
    { name: 'good', version: '4.12.0' },
    { name: 'away', version: '4.12.0', status: 'disconnected' as const },
    { name: 'done', version: '4.14.7' },
    { name: 'old', version: '2.9.9' },
    { name: 'bare', version: '4.12.0', fate: 'no-package' as const },
  ];
  test.each([
    ['1701', '999', {}],
    ['1703', '000', {}],
    ['1707', '002', {}],
    ['1731', '001', { status: 'disconnected' }],
    ['1819', '005', {}],
    ['1821', '004', {}],
    ['1822', '003', {}],
  ])('code %s', (code, id, query) => {
    const s = session({ agents });
    s.signIn();
    expect(upgrade(s, id, query).json).toMatchObject({
      data: { failed_items: [{ error: { code: Number(code) }, id: [id] }] },
      error: 1,
    });
  });

  test('a version above the manager is refused as a whole: 400 with 1823', () => {
    const s = session();
    s.signIn();
    expect(upgrade(s, '001', { upgrade_version: 'v4.15.0' })).toMatchObject({ status: 400, json: { error: 1823 } });
  });

  test('no list is 400; ids beyond what a request line holds are 431', () => {
    const s = session();
    s.signIn();
    expect(s.call('PUT', '/agents/upgrade').status).toBe(400);
    expect(upgrade(s, Array.from({ length: 5000 }, (_, i) => String(i + 1)).join(',')).status).toBe(431);
  });

  test('an upgrade is queued, runs, ends, and GET /agents has the new version then', () => {
    const s = session();
    s.signIn();
    upgrade(s, '001');
    const result = (atMs: number) =>
      s.call('GET', '/agents/upgrade_result', { query: { agents_list: '001' }, atMs }).json;
    const version = (atMs: number) => s.call('GET', '/agents', { query: { agents_list: '001' }, atMs }).json;
    expect(result(START + 1)).toMatchObject({ data: { affected_items: [{ agent: '001', status: 'In queue' }] } });
    expect(result(START + 3_000)).toMatchObject({ data: { affected_items: [{ status: 'Updating' }] } });
    expect(version(START + 3_000)).toMatchObject({ data: { affected_items: [{ version: 'v4.12.0' }] } });
    expect(result(START + 60_000)).toMatchObject({ data: { affected_items: [{ status: 'Updated' }] } });
    expect(version(START + 60_000)).toMatchObject({ data: { affected_items: [{ version: 'v4.14.7' }] } });
  });

  test.each([
    ['error', 'Error', 'v4.12.0'],
    ['timeout', expect.stringContaining('Timeout'), 'v4.12.0'],
    ['timeout-but-updated', expect.stringContaining('Timeout'), 'v4.14.7'],
  ] as const)('fate %s: the result and what the version says', (fate, status, version) => {
    const s = session({ agents: [{ name: 'a', version: '4.12.0', fate }] });
    s.signIn();
    upgrade(s, '001');
    expect(
      s.call('GET', '/agents/upgrade_result', { query: { agents_list: '001' }, atMs: START + 60_000 }).json,
    ).toMatchObject({ data: { affected_items: [{ status }] } });
    expect(s.call('GET', '/agents', { query: { agents_list: '001' }, atMs: START + 60_000 }).json).toMatchObject({
      data: { affected_items: [{ version }] },
    });
  });

  test('an upgrade that another program applies ends with what the agent reports', () => {
    const s = session({ upgradeTakesMs: null });
    s.signIn();
    upgrade(s, '001');
    const status = (atMs: number) =>
      s.call('GET', '/agents/upgrade_result', { query: { agents_list: '001' }, atMs }).json;
    expect(status(START + 500_000)).toMatchObject({ data: { affected_items: [{ status: 'Updating' }] } });
    s.alter((state) => reportAgent(state, '001', { version: 'v4.14.7' }, START + 500_001));
    expect(status(START + 500_002)).toMatchObject({ data: { affected_items: [{ status: 'Updated' }] } });
  });
});

test('a request alters nothing of the state it was given', () => {
  const state = createManagement({
    version: '4.14.7',
    user: 'ops',
    password: 'right',
    agents: [{ name: 'a', version: '4.12.0' }],
    readyAtMs: 0,
  });
  const before = structuredClone(state);
  handleManagementRequest(state, {
    method: 'POST',
    path: '/security/user/authenticate',
    query: {},
    headers: basic('right'),
    body: '',
    atMs: START,
  });
  expect(state).toEqual(before);
});
