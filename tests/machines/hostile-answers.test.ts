import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createServer as createSecure } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { createAuthority } from './certificates.js';
import { LIMITS, runBeside } from './hostile-run.js';
import { pump } from './hostile-server.js';

/* Endpoints that lie, flood or fall silent, each on `bad` beside one on `good` that is well. */

/** What the sender and the connection may hold beside what is read. */
const MOST_SENT = 16 * 1024 * 1024;

type Respond = (socket: Socket, stall: () => void) => void;
type Row<T> = readonly [does: string, respond: Respond, expected: T];

const head = (status: string, ...lines: readonly string[]): string =>
  [`HTTP/1.1 ${status}`, ...lines, '', ''].join('\r\n');
const answer = (body: string | Buffer, ...lines: readonly string[]): Buffer =>
  Buffer.concat([
    Buffer.from(head('200 OK', `Content-Length: ${Buffer.byteLength(body)}`, ...lines)),
    Buffer.from(body),
  ]);
const send =
  (text: string | Buffer): Respond =>
  (socket) =>
    void socket.write(text);
const sendAndStall =
  (text: string): Respond =>
  (socket, stall) => {
    socket.write(text);
    stall();
  };
const sendAndEnd =
  (text: string): Respond =>
  (socket) =>
    void socket.end(text);

const flood =
  (first: string, piece: string): Respond =>
  (socket) => {
    socket.write(first);
    pump(socket, piece);
  };

async function runBesideWell(respond: Respond, isOverTls = false) {
  let stall = (): void => undefined;
  const stalled = new Promise<void>((resolve) => (stall = resolve));
  const sockets = new Set<Socket>();
  const sent = { bytes: 0 };
  const serving = (answering: Respond) => (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.once('close', () => {
      sent.bytes += socket.bytesWritten;
    });
    socket.on('data', () => answering(socket, stall));
  };
  const authority = isOverTls ? createAuthority('Other') : undefined;
  const issued = authority?.issue('other', 'DNS:other.example');
  const bad = issued === undefined ? createServer(serving(respond)) : createSecure(issued, serving(respond));
  const good = createServer(serving(send(answer('"well"'))));
  for (const server of [bad, good]) await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = (server: typeof bad, scheme = 'http'): string =>
    `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const urls = [
    { url: url(bad, isOverTls ? 'https' : 'http'), host: 'bad' },
    { url: url(good), host: 'good' },
  ];
  try {
    return await runBeside({
      fact: 'endpoint: e, path: /state, each_node: true, type: json',
      vars: { good: '', bad: '' },
      endpoint: {
        ...{ name: 'e', urls, auth: 'none', verify: true },
        ...(authority === undefined ? {} : { ca: authority.file }),
      },
      stalled,
    });
  } finally {
    for (const server of [bad, good]) server.close();
    for (const socket of sockets) socket.destroy();
    for (const server of [bad, good]) if (server.listening) await once(server, 'close');
    authority?.end();
    expect(sent.bytes).toBeLessThan(MOST_SENT);
  }
}

const at = (what: string) => new RegExp(`^e: 127\\.0\\.0\\.1:\\d+ ${what}$`);
const TOO_LONG = /^e answers \/state with more than can be read at once$/;
const NO_JSON = /^e answers \/state with what is no JSON$/;

test.each<Row<RegExp>>([
  [
    'sends headers without an end',
    flood(head('200 OK').slice(0, -2), `X-More: ${'x'.repeat(999)}\r\n`),
    at('sends more headers than are read'),
  ],
  ['sends a body without an end', flood(head('200 OK'), 'x'.repeat(9_999)), TOO_LONG],
  [
    'sends chunks without an end',
    flood(head('200 OK', 'Transfer-Encoding: chunked'), `3e8\r\n${'x'.repeat(1000)}\r\n`),
    TOO_LONG,
  ],
  [
    'sends a chunk of no size',
    send(`${head('200 OK', 'Transfer-Encoding: chunked')}zz\r\n`),
    at('sends what is no HTTP'),
  ],
  [
    'sends less than it announced',
    sendAndEnd(`${head('200 OK', 'Content-Length: 100')}"a"`),
    at('closed the connection before it answered'),
  ],
  ['sends more than it announced', send(`${head('200 OK', 'Content-Length: 3')}{"a":1}`), NO_JSON],
  [
    'announces two lengths',
    send(`${head('200 OK', 'Content-Length: 3', 'Content-Length: 4')}"a" `),
    at('sends another number of bytes than it announces'),
  ],
  [
    'announces more than it sends, and waits',
    sendAndStall(head('200 OK', 'Content-Length: 99999999999')),
    at('did not answer within 30 s'),
  ],
  ['answers nothing', (_, stall) => stall(), at('did not answer within 30 s')],
  [
    'stops within its answer',
    sendAndStall(`${head('200 OK', 'Content-Length: 9')}{`),
    at('did not answer within 30 s'),
  ],
  ['resets the connection', (s) => void s.resetAndDestroy(), at('closed the connection.*')],
  ['ends the connection', (s) => void s.end(), at('closed the connection before it answered')],
  ['speaks no HTTP', send('220 mail.example ESMTP\r\n'), at('sends what is no HTTP')],
  [
    'leads to another host',
    send(head('302 Found', 'Location: http://10.0.0.9/', 'Content-Length: 0')),
    /^e answers 302 to \/state$/,
  ],
  [
    'leads to itself',
    send(head('307 Temporary Redirect', 'Location: /state', 'Content-Length: 0')),
    /^e answers 307 to \/state$/,
  ],
  ['asks to continue again and again', flood('', head('100 Continue')), at('closed the connection before it answered')],
  [
    'changes the protocol',
    send(head('101 Switching Protocols', 'Upgrade: x', 'Connection: upgrade')),
    at('closed the connection before it answered'),
  ],
  [
    'answers that it is busy, without an end',
    send(head('429 Too Many Requests', 'Content-Length: 0')),
    /^e answers 429 to \/state$/,
  ],
  ['packs its answer', send(answer(gzipSync(Buffer.alloc(50_000_000)), 'Content-Encoding: gzip')), NO_JSON],
  [
    'answers with a web page',
    send(answer('<!DOCTYPE html><title>Sign in</title>', 'Content-Type: text/html')),
    NO_JSON,
  ],
  [
    'nests its answer without measure',
    send(answer('['.repeat(100_000) + ']'.repeat(100_000))),
    /^what e answers to \/state is nested more than 500 levels deep/,
  ],
  [
    'uses keys that are reserved',
    send(answer('{"$secret":"pw"}')),
    /^e answers \/state with .* which are reserved keys$/,
  ],
])('an endpoint that %s is named, and the other one is done', async (_, respond, expected) => {
  expect(await runBesideWell(respond)).toEqual({ bad: { reason: expect.stringMatching(expected) }, isGoodDone: true });
});

test('an endpoint with the certificate of another name is named, and the other one is done', async () => {
  expect(await runBesideWell(() => undefined, true)).toEqual({
    bad: { reason: expect.stringMatching(/^e: .* the certificate is for other\.example, not for 127\.0\.0\.1$/) },
    isGoodDone: true,
  });
});

test.each<Row<unknown>>([
  ['twice', send(Buffer.concat([answer('"first"'), answer('"second"')])), 'first'],
  [
    'with keys twice, and keys that objects have',
    send(answer('{"a":1,"a":2,"__proto__":{"admin":true},"constructor":null}')),
    JSON.parse('{"a":2,"__proto__":{"admin":true},"constructor":null}'),
  ],
  [
    'with as much as may be read',
    send(answer(JSON.stringify('x'.repeat(LIMITS.answer - 2)))),
    'x'.repeat(LIMITS.answer - 2),
  ],
])('an endpoint that answers %s is read as data', async (_, respond, expected) => {
  expect(await runBesideWell(respond)).toEqual({ bad: { it: expected }, isGoodDone: true });
});
