import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Endpoint } from '../../engine/terms/inventory.js';
import { createAuthority, type Issued } from './certificates.js';
import { type Bench, createBench, endpoint } from './endpoints-bench.js';
import { json, startServer, type TestServer } from './http-server.js';

const kinds = ['good', 'named', 'expired', 'alone'] as const;
type Kind = (typeof kinds)[number];

const authority = createAuthority('Test Authority');
const stranger = createAuthority('Another Authority');
const issued: Readonly<Record<Kind, Issued>> = {
  good: authority.issue('good', 'IP:127.0.0.1'),
  named: authority.issue('named', 'DNS:platform-api'),
  expired: authority.issue('expired', 'IP:127.0.0.1', '20200201000000Z'),
  alone: authority.issueAlone('alone', 'DNS:localhost'),
};
const servers = {} as Record<Kind, TestServer>;
const benches: Bench[] = [];

beforeAll(async () => {
  for (const kind of kinds)
    servers[kind] = await startServer((_, response) => json(response, 200, { kind }), issued[kind]);
});
afterEach(async () => {
  for (const bench of benches.splice(0)) await bench.end();
  for (const kind of kinds) servers[kind].seen.length = 0;
});
afterAll(async () => {
  for (const kind of kinds) await servers[kind].end();
  authority.end();
  stranger.end();
});

const askOf = (kind: Kind, trust: Partial<Endpoint>) => {
  const bench = createBench(endpoint([servers[kind].url], trust));
  benches.push(bench);
  return bench.ask('/');
};

describe('a server is believed', () => {
  it.each<readonly [string, Kind, Partial<Endpoint>]>([
    ['by its authority', 'good', { ca: authority.file }],
    ['by its own certificate, which an authority signed', 'good', { ca: issued.good.file }],
    [
      'by its own certificate, signed by itself, and the name in it',
      'alone',
      { ca: issued.alone.file, servername: 'localhost' },
    ],
    ['by the name that is written', 'named', { ca: authority.file, servername: 'platform-api' }],
    ['by its fingerprint', 'good', { fingerprint: issued.good.fingerprint }],
    [
      'by its fingerprint, as openssl writes it',
      'good',
      { fingerprint: issued.good.fingerprint.toUpperCase().replace(/(..)(?=.)/g, '$1:') },
    ],
    ['by its fingerprint, whatever else is wrong', 'expired', { fingerprint: issued.expired.fingerprint }],
    ['when an operator says that it need not prove anything', 'expired', { verify: false }],
  ])('%s', async (_how, kind, trust) => {
    expect(await askOf(kind, trust)).toEqual({
      is: 'answered',
      status: 200,
      json: { kind },
      text: `{"kind":"${kind}"}`,
    });
  });
});

describe('a server is refused before a byte is sent, and a hint says what to write', () => {
  it.each<readonly [string, Kind, Partial<Endpoint>, RegExp, RegExp]>([
    [
      'an unknown authority',
      'good',
      {},
      /nothing vouches for "CN=Test Authority"/,
      /^endpoints\.e: write `ca: FILE`.*or `fingerprint: [0-9a-f]{64}`/,
    ],
    [
      'another authority',
      'good',
      { ca: stranger.file },
      /nothing vouches for "CN=Test Authority"/,
      /`ca` with the right authority/,
    ],
    ['one signed by itself', 'alone', {}, /signed by itself/, /`ca: FILE`/],
    [
      'another name',
      'named',
      { ca: authority.file },
      /the certificate is for platform-api, not for 127\.0\.0\.1/,
      /endpoints\.e: write `servername: platform-api`/,
    ],
    [
      'another name than is written',
      'good',
      { ca: authority.file, servername: 'elsewhere' },
      /for 127\.0\.0\.1, not for elsewhere/,
      /servername: 127\.0\.0\.1/,
    ],
    [
      'another name, though its certificate is in ca',
      'alone',
      { ca: issued.alone.file },
      /for localhost, not for/,
      /servername: localhost/,
    ],
    ['an expired one', 'expired', { ca: authority.file }, /expired on 2020-02-01/, /renew it on the server/],
    [
      'an expired one that is in ca itself',
      'expired',
      { ca: issued.expired.file },
      /expired on 2020-02-01/,
      /renew it/,
    ],
    [
      'another one than pinned',
      'good',
      { fingerprint: issued.alone.fingerprint },
      /another one than pinned/,
      new RegExp(`fingerprint: ${issued.good.fingerprint}`),
    ],
    [
      'a ca that is not there',
      'good',
      { ca: '/nowhere/ca.pem' },
      /\/nowhere\/ca\.pem cannot be read \(ENOENT\)/,
      /readable PEM file/,
    ],
    ['a ca that holds none', 'good', { ca: import.meta.filename }, /holds no certificate/, /readable PEM file/],
  ])('%s', async (_what, kind, trust, reason, hint) => {
    const answer = await askOf(kind, trust);
    expect(answer).toEqual({
      is: 'untrusted',
      reason: expect.stringMatching(reason),
      hint: expect.stringMatching(hint),
    });
    expect(servers[kind].seen).toEqual([]);
  });

  it('speaks of a port that knows no TLS', async () => {
    const plain = await startServer((_, response) => json(response, 200, {}));
    const bench = createBench(endpoint([plain.url.replace('http:', 'https:')]));
    benches.push(bench);
    expect(await bench.ask('/')).toMatchObject({
      is: 'unreachable',
      reason: expect.stringContaining('does not speak TLS'),
    });
    await plain.end();
  });
});
