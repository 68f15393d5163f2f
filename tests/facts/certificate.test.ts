import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { certificate, publicKey, type CertificateFile, type KeyState } from '../../engine/facts/certificate.js';
import { readable } from '../../engine/facts/readable.js';
import type { Answer } from '../../engine/terms/fact.js';
import { workshop } from '../machines/local-host.js';

/** Real certificates and keys by the system's openssl, asked for through the engine's own shell. */
let shop: ReturnType<typeof workshop>;
beforeAll(() => {
  shop = workshop();
  for (const name of ['own', 'other']) {
    openssl('req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '3', '-subj', `/O=test/CN=${name}`, '-keyout', shop.path(`${name}.key`), '-out', shop.path(`${name}.pem`)); // prettier-ignore
  }
  openssl('pkcs8', '-topk8', '-in', shop.path('own.key'), '-out', shop.path('locked.key'), '-passout', 'pass:secret');
  openssl('genrsa', '-out', shop.path('rsa.key'), '2048');
  openssl('req', '-x509', '-key', shop.path('rsa.key'), '-days', '3', '-subj', '/CN=rsa', '-out', shop.path('rsa.pem'));
  writeFileSync(shop.path('both.pem'), read('own.key') + read('own.pem') + read('other.pem'));
  writeFileSync(shop.path('torn.pem'), read('own.pem').slice(0, 200) + read('own.key') + read('other.pem'));
  writeFileSync(shop.path('text'), 'nothing of the kind\n');
});
afterAll(() => shop.end());

const openssl = (...args: readonly string[]): void => {
  execFileSync('openssl', args, { stdio: 'pipe' });
};
const read = (name: string): string => readFileSync(shop.path(name), 'utf8');

async function value<V>(answer: Promise<Answer>): Promise<V> {
  const got = await answer;
  if (got.is !== 'value') throw new Error(JSON.stringify(got));
  return got.value as V;
}
const chain = (name: string) => value<CertificateFile>(shop.ask(certificate, shop.path(name)));
const key = (name: string) => value<KeyState>(shop.ask(publicKey, shop.path(name)));

describe('a certificate on a host', () => {
  test('says whose it is and how long it is valid', async () => {
    const [own] = (await chain('own.pem')) ?? [];
    expect(own).toMatchObject({ subject: 'O=test, CN=own', issuer: 'O=test, CN=own' });
    expect((own?.validToMs ?? 0) - (own?.validFromMs ?? 0)).toBe(3 * 86_400_000);
    expect(Math.abs((own?.validFromMs ?? 0) - Date.now())).toBeLessThan(600_000);
  });
  test.each(['own', 'rsa'])('%s has the public half of its key, and of no other', async (name) => {
    const [own] = (await chain(`${name}.pem`)) ?? [];
    expect(await key(`${name}.key`)).toEqual({ is: 'key', publicSha256: own?.publicSha256 });
    expect(await key('other.key')).not.toEqual({ is: 'key', publicSha256: own?.publicSha256 });
  });
  test('in a file with its key: only the certificates leave the host, also when one is torn', async () => {
    expect((await chain('both.pem'))?.map((c) => c.subject)).toEqual(['O=test, CN=own', 'O=test, CN=other']);
    expect((await chain('torn.pem'))?.map((c) => c.subject)).toEqual(['O=test, CN=other']);
    for (const name of ['both.pem', 'torn.pem']) {
      const printed = execFileSync('sh', ['-c', certificate.sh(shop.path(name))], { encoding: 'utf8' });
      expect(printed).not.toContain('PRIVATE');
      expect(printed).not.toContain(read('own.key').split('\n')[1]);
    }
  });
  test('of a key only the public half is printed', () => {
    const printed = execFileSync('sh', ['-c', publicKey.sh(shop.path('own.key'))], { encoding: 'utf8' });
    expect(printed).toMatch(/^-----BEGIN PUBLIC KEY-----[^-]*-----END PUBLIC KEY-----\n$/);
  });
  test('nothing, something else, and a passphrase are distinguished', async () => {
    expect(await chain('nowhere')).toBeNull();
    expect(await chain('text')).toEqual([]);
    expect(await key('nowhere')).toEqual({ is: 'absent' });
    expect(await key('text')).toEqual({ is: 'no key' });
    expect(await key('own.pem')).toEqual({ is: 'no key' });
    expect(await key('locked.key')).toEqual({ is: 'encrypted' });
    expect(await shop.ask(publicKey, shop.folder)).toMatchObject({ is: 'failed', why: 'unreadable' });
  });
  test('lines that end as on Windows', async () => {
    writeFileSync(shop.path('crlf.pem'), read('own.pem').replaceAll('\n', '\r\n'));
    expect((await chain('crlf.pem'))?.map((c) => c.subject)).toEqual(['O=test, CN=own']);
  });
});

describe('who may read a file', () => {
  const may = (user: string, path: string, write = false) => shop.ask(readable, { user, path, write });
  const me = execFileSync('id', ['-un'], { encoding: 'utf8' }).trim();
  const asRoot = process.getuid?.() === 0 ? test : test.skip;

  test('oneself, what is there', async () => {
    expect(await may(me, shop.path('text'))).toMatchObject({ value: 'yes' });
    expect(await may(me, shop.path('nowhere'))).toMatchObject({
      value: { barred: shop.path('nowhere'), by: 'absent' },
    });
    expect(await may('no-such-user-here', shop.path('text'))).toMatchObject({ value: 'no such user' });
  });
  asRoot('another user, by the file and by the directories above it', async () => {
    chmodSync(shop.folder, 0o755);
    chmodSync(shop.path('text'), 0o400);
    expect(await may('daemon', shop.path('text'))).toMatchObject({
      value: { barred: shop.path('text'), by: 'rights' },
    });
    chmodSync(shop.path('text'), 0o444);
    expect(await may('daemon', shop.path('text'))).toMatchObject({ value: 'yes' });
    expect(await may('daemon', shop.path('text'), true)).toMatchObject({
      value: { barred: shop.path('text'), by: 'rights' },
    });
    chmodSync(shop.folder, 0o700);
    expect(await may('daemon', shop.path('text'))).toMatchObject({ value: { barred: shop.folder, by: 'rights' } });
    chmodSync(shop.folder, 0o755);
    expect(await may('daemon', shop.folder)).toMatchObject({ value: 'yes' });
    chmodSync(shop.folder, 0o754);
    expect(await may('daemon', shop.folder)).toMatchObject({ value: { barred: shop.folder, by: 'rights' } });
  });
});
