import { describe, expect, test } from '@jest/globals';
import { parseHop, parseSshConfig, settle } from '../../engine/machines/ssh/ssh-config.js';

const env = { SSH_AUTH_SOCK: '/run/agent' };
const config = (text: string) => parseSshConfig(text);
const target = (text: string, ssh = {}) => {
  const settled = settle('web', ssh, config(text), env);
  if (settled.is === 'failed') throw new Error(settled.reason);
  return settled.value;
};

describe('where and as whom to log in', () => {
  test("the inventory's words win over OpenSSH's, and those over defaults", () => {
    const text =
      'hostname 10.0.0.9\nport 2200\nuser conf\nconnecttimeout 5\nhostkeyalias cluster\nproxyjump gate,ops@inner:2201\n';
    expect(target(text)).toMatchObject({
      address: '10.0.0.9',
      port: 2200,
      user: 'conf',
      connectTimeoutMs: 5000,
      hostKeyAlias: 'cluster',
      jump: ['gate', 'ops@inner:2201'],
      agent: '/run/agent',
    });
    expect(target(text, { user: 'ops', port: 22, connectTimeoutMs: 1, jump: [] })).toMatchObject({
      port: 22,
      user: 'ops',
      connectTimeoutMs: 1,
      jump: [],
    });
    expect(target('')).toMatchObject({ address: 'web', port: 22, connectTimeoutMs: 15_000, jump: [] });
  });

  test('a key that is named is the only one; the agent stays out', () => {
    expect(target('identityfile ~/.ssh/other\n', { keyFile: '/keys/a' })).toMatchObject({ keyFiles: ['/keys/a'] });
    expect(target('', { keyFile: '/keys/a' }).agent).toBeUndefined();
    expect(target('identitiesonly yes\n').agent).toBeUndefined();
    expect(target('identityagent none\n').agent).toBeUndefined();
    expect(target('identityagent SSH_AUTH_SOCK\n').agent).toBe('/run/agent');
    expect(target('identityagent /run/other\n').agent).toBe('/run/other');
  });

  test('files of known hosts', () => {
    expect(target('userknownhostsfile /a /b\nglobalknownhostsfile /c\n').knownHostsFiles).toEqual(['/a', '/b', '/c']);
    expect(target('userknownhostsfile /a\n', { knownHosts: '/d' }).knownHostsFiles).toEqual(['/d']);
  });

  test('a ProxyCommand is refused in words', () => {
    expect(settle('web', {}, config('proxycommand nc %h %p\n'), env)).toMatchObject({
      is: 'failed',
      reason: expect.stringContaining('ProxyCommand'),
    });
    expect(settle('web', {}, config('proxycommand none\nproxyjump none\n'), env)).toMatchObject({
      is: 'reached',
      value: { jump: [] },
    });
  });
});

test.each([
  ['gate', { address: 'gate' }],
  ['ops@gate:2222', { user: 'ops', address: 'gate', port: 2222 }],
  ['[fe80::1]:22', { address: 'fe80::1', port: 22 }],
  ['ops@[::1]', { user: 'ops', address: '::1' }],
  ['ssh://ops@gate:22', { user: 'ops', address: 'gate', port: 22 }],
  ['', undefined],
  ['a:b:c', undefined],
])('hop %s', (text, hop) => {
  expect(parseHop(text)).toEqual(hop);
});
