import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { download, type DownloadQuestion, type DownloadState } from '../../engine/facts/http.js';
import { sha256 } from '../../engine/lib/hash.js';
import { packArchive } from '../../engine/simulator/archive.js';
import { need } from '../../engine/terms/fact.js';
import { packZip } from '../lib/pack-zip.js';
import { createAuthority } from './certificates.js';
import { type Bench, createBench, endpoint } from './endpoints-bench.js';
import { startServer, type TestServer } from './http-server.js';

let server: TestServer;
let bench: Bench;
beforeEach(async () => {
  server = await startServer((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json', etag: '"1"' }).end('{"a":1}'),
  );
  bench = createBench(endpoint([server.url]));
});
afterEach(async () => {
  await bench.end();
  await server.end();
});

const fetched = async (url: string, ca?: string): Promise<DownloadState> =>
  asked({ url, ...(ca === undefined ? {} : { ca }) });
const asked = async (question: DownloadQuestion): Promise<DownloadState> => {
  const answer = await bench.endpoints.ask(need({ controller: true }, download, question));
  if (answer.is !== 'value') throw new Error(JSON.stringify(answer));
  return answer.value as unknown as DownloadState;
};
const failure = async (url: string): Promise<string> => {
  const state = await fetched(url);
  return state.is === 'failed' ? `${state.reason} | ${state.hint ?? ''}` : JSON.stringify(state);
};
const filesLeft = (): readonly string[] => readdirSync(bench.cacheDir).filter((name) => !name.endsWith('.json'));

describe('download', () => {
  it('keeps the file for its owner alone, and tells what it is', async () => {
    const state = await fetched(`${server.url}/t/template.json`);
    expect(state).toMatchObject({
      is: 'fetched',
      sizeBytes: 7,
      sha256: sha256('{"a":1}'),
      contentType: 'application/json',
      text: '{"a":1}',
    });
    if (state.is !== 'fetched') return;
    expect(state.path).toMatch(/-template\.json$/);
    expect(readFileSync(state.path, 'utf8')).toBe('{"a":1}');
    expect(statSync(state.path).mode & 0o777).toBe(0o600);
  });

  it('takes a file of a folder in its place, which SHA256SUMS must list as it is; where there is none the address is asked', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'runbook-carried-'));
    const take = () => asked({ url: `${server.url}/t`, offline: { folder, file: 't-1.json' } });
    const sums = (text: string): void => writeFileSync(join(folder, 'SHA256SUMS'), text);
    try {
      expect(await take()).toMatchObject({ text: '{"a":1}' });
      writeFileSync(join(folder, 't-1.json'), '{"b":2}');
      const path = join(folder, 't-1.json');
      expect(await take()).toMatchObject({ is: 'failed', reason: `${path} is not listed in SHA256SUMS` });
      sums(`${sha256('{"b":2}')}  t-1.json\n`);
      expect(await take()).toMatchObject({ is: 'fetched', path, text: '{"b":2}', sha256: sha256('{"b":2}') });
      sums(`${sha256('other')}  t-1.json\n`);
      expect(await take()).toMatchObject({
        is: 'failed',
        reason: expect.stringContaining('SHA256SUMS says') as unknown,
      });
      sums('no line\n');
      expect(await take()).toMatchObject({
        is: 'failed',
        reason: expect.stringContaining('SHA256SUMS:1 is no line') as unknown,
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('takes a file again only when it has changed', async () => {
    const first = await fetched(`${server.url}/t`);
    server.handle = (request, response) =>
      response.writeHead(request.headers['if-none-match'] === '"1"' ? 304 : 500).end();
    expect(await fetched(`${server.url}/t`)).toEqual(first);
    server.handle = (_, response) => response.writeHead(200, { etag: '"2"' }).end('new');
    expect(await fetched(`${server.url}/t`)).toMatchObject({ text: 'new', sha256: sha256('new') });
  });

  it('gives bytes that are no text no text, and large files neither', async () => {
    server.handle = (_, response) => response.end(Buffer.from([0xff, 0xfe, 0]));
    expect(await fetched(`${server.url}/a.tar.gz`)).not.toHaveProperty('text');
    const large = Buffer.alloc(3 * 1024 * 1024, 'x');
    server.handle = (_, response) => response.end(large);
    const state = await fetched(`${server.url}/b`);
    expect(state).toMatchObject({ sizeBytes: large.length, sha256: sha256(large) });
    expect(state).not.toHaveProperty('text');
  });

  it('never takes an error page for the file', async () => {
    server.handle = (_, response) =>
      response.writeHead(404, { 'content-type': 'text/html' }).end('<html>Not found</html>');
    expect(await failure(`${server.url}/t`)).toBe(
      `${server.url}/t answers 404 | is the version right, and \`package_url\`?`,
    );
    server.handle = (_, response) => response.writeHead(301, { location: 'https://elsewhere/t' }).end();
    expect(await failure(`${server.url}/t`)).toContain('redirects are not followed; write https://elsewhere/t');
    expect(filesLeft()).toEqual([]);
  });

  it('keeps nothing of a file that broke off', async () => {
    server.handle = (_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half');
      setImmediate(() => server.drop());
    };
    expect(await failure(`${server.url}/t`)).toContain('the connection broke in the middle of the file');
    expect(filesLeft()).toEqual([]);
  });

  it('believes only whom it may', async () => {
    const authority = createAuthority('Downloads');
    const secure = await startServer((_, response) => response.end('x'), authority.issue('files', 'IP:127.0.0.1'));
    try {
      expect(await failure(`${secure.url}/t`)).toContain('nothing vouches for "CN=Downloads"');
      expect(await fetched(`${secure.url}/t`, authority.file)).toMatchObject({ is: 'fetched', text: 'x' });
    } finally {
      await secure.end();
      authority.end();
    }
  });

  it('refuses what is no address, and tells a server that is away', async () => {
    expect(await failure('file:///etc/passwd')).toContain('is no address for a download');
    const { url } = server;
    await server.end();
    expect(await failure(`${url}/t`)).toContain('refuses connections');
  });

  it('refuses an address with a password, and does not show it', async () => {
    expect(await failure(server.url.replace('://', '://robot:hunter2@'))).toMatch(
      /^http:\/\/\[hidden\]@127.* has a user or a password in it.* \| use an address that needs none/,
    );
    expect(await failure('ftp://robot:hunter2@example.com/x')).toMatch(/^"ftp:\/\/\[hidden\]@example.com\/x" is no/);
  });
  it('tells the texts of a zip that are asked for, of an address and of a file of the controller', async () => {
    const zip = packZip({ 'a.txt': 'first', 'b.txt': 'second' });
    server.handle = (_, response) => response.writeHead(200).end(zip);
    const folder = mkdtempSync(join(tmpdir(), 'runbook-carried-'));
    try {
      const path = join(folder, 'a.zip');
      writeFileSync(path, zip);
      const wanted = { is: 'fetched', sha256: sha256(zip), sizeBytes: zip.length, texts: { 'a.txt': 'first' } };
      expect(await asked({ url: `${server.url}/a.zip`, texts: ['a.txt'] })).toMatchObject(wanted);
      expect(await asked({ url: path, texts: ['a.txt'] })).toMatchObject({ ...wanted, path });
      expect(await asked({ url: path })).not.toHaveProperty('texts');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('tells the members of an archive as a host would tell them', async () => {
    const members = [
      { path: 'platform/', type: 'directory' },
      { path: 'platform/a b', text: 'x' },
      { path: 'platform/link', type: 'link', target: 'a b' },
    ] as const;
    server.handle = (_, response) => response.writeHead(200).end(packArchive(members));
    expect(await fetched(`${server.url}/m.tar.gz`)).toMatchObject({
      members: [
        { path: 'platform/', type: 'directory' },
        { path: 'platform/a b', type: 'file' },
        { path: 'platform/link', type: 'link', target: 'a b' },
      ],
    });
  });

  it.each([
    ['an archive that was cut', (): Buffer => packArchive([{ path: 'a', text: 'x'.repeat(10_000) }]).subarray(0, 60)],
    ['a single byte', (): Buffer => Buffer.from([0x1f])],
  ])('tells no members of %s, and gives it all the same', async (_, bytes) => {
    server.handle = (_request, response) => response.writeHead(200).end(bytes());
    const state = await fetched(`${server.url}/m.tar.gz`);
    expect([state.is, 'members' in state]).toEqual(['fetched', false]);
  });
});
