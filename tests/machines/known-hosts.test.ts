import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  entriesFor,
  judgeKey,
  keyAlgorithms,
  lineFor,
  nameOf,
  indexed,
  parseKnownHosts,
} from '../../engine/machines/ssh/known-hosts.js';

/** A public key as it goes over the wire: its type, then bytes. */
function keyOf(type: string, seed: number): Buffer {
  const field = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]);
  return Buffer.concat([field(Buffer.from(type)), field(Buffer.alloc(32, seed))]);
}
const ed = keyOf('ssh-ed25519', 1);
const other = keyOf('ssh-ed25519', 2);
const rsa = keyOf('ssh-rsa', 3);
const [ed64, rsa64] = [ed, rsa].map((k) => k.toString('base64'));
const hashed = (name: string): string => {
  const salt = Buffer.alloc(20, 7);
  return `|1|${salt.toString('base64')}|${createHmac('sha1', salt).update(name).digest('base64')}`;
};
const judge = (text: string, address: string, port = 22, key = ed, alias?: string) =>
  judgeKey(indexed(parseKnownHosts(text, 'known_hosts')), {
    address,
    port,
    key,
    ...(alias === undefined ? {} : { alias }),
  });

describe('what known_hosts says of a key', () => {
  const cases: readonly [string, string, string, number, object][] = [
    ['a name', `web ssh-ed25519 ${ed64} comment`, 'web', 22, { is: 'known' }],
    ['one of several names', `a,web,10.0.0.1 ssh-ed25519 ${ed64}`, '10.0.0.1', 22, { is: 'known' }],
    ['capitals make no difference', `Web.Example ssh-ed25519 ${ed64}`, 'wEB.example', 22, { is: 'known' }],
    ['another name', `web2 ssh-ed25519 ${ed64}`, 'web', 22, { is: 'unknown' }],
    ['part of a name', `web ssh-ed25519 ${ed64}`, 'web.example', 22, { is: 'unknown' }],
    ['a dot is no wildcard', `w.b ssh-ed25519 ${ed64}`, 'web', 22, { is: 'unknown' }],
    ['a pattern', `*.example.com ssh-ed25519 ${ed64}`, 'web.example.com', 22, { is: 'known' }],
    ['a pattern of one character', `web-? ssh-ed25519 ${ed64}`, 'web-7', 22, { is: 'known' }],
    [
      'a pattern that forbids',
      `*.example.com,!web.example.com ssh-ed25519 ${ed64}`,
      'web.example.com',
      22,
      { is: 'unknown' },
    ],
    ['a port', `[web]:2222 ssh-ed25519 ${ed64}`, 'web', 2222, { is: 'known' }],
    ['another port', `[web]:2222 ssh-ed25519 ${ed64}`, 'web', 2223, { is: 'unknown' }],
    ['a port, known without', `web ssh-ed25519 ${ed64}`, 'web', 2222, { is: 'known' }],
    [
      'a port, another key known without',
      `web ssh-ed25519 ${other.toString('base64')}`,
      'web',
      2222,
      { is: 'unknown' },
    ],
    [
      'a key of the address alone, where another is known for the port',
      `[web]:2222 ssh-rsa ${rsa64}\nweb ssh-ed25519 ${ed64}`,
      'web',
      2222,
      { is: 'changed', at: 'known_hosts:1' },
    ],
    ['a pattern of many stars', `${'*'.repeat(30)}x ssh-ed25519 ${ed64}`, 'w'.repeat(64), 22, { is: 'unknown' }],
    ['stars between letters', `*e*b*.*m ssh-ed25519 ${ed64}`, 'web.example.com', 22, { is: 'known' }],
    ['an IPv6 address with a port', `[::1]:2222 ssh-ed25519 ${ed64}`, '::1', 2222, { is: 'known' }],
    ['a hashed name', `${hashed('web')} ssh-ed25519 ${ed64}`, 'web', 22, { is: 'known' }],
    ['a hashed name with its port', `${hashed('[web]:2222')} ssh-ed25519 ${ed64}`, 'web', 2222, { is: 'known' }],
    ['another hashed name', `${hashed('web2')} ssh-ed25519 ${ed64}`, 'web', 22, { is: 'unknown' }],
    [
      'another key of the type',
      `# first\nweb ssh-ed25519 ${other.toString('base64')}`,
      'web',
      22,
      { is: 'changed', at: 'known_hosts:2' },
    ],
    ['a key of another type alone', `web ssh-rsa ${rsa64}`, 'web', 22, { is: 'changed', at: 'known_hosts:1' }],
    ['one of two keys', `web ssh-rsa ${rsa64}\nweb ssh-ed25519 ${ed64}`, 'web', 22, { is: 'known' }],
    [
      'revoked, for all',
      `web ssh-ed25519 ${ed64}\n@revoked * ssh-ed25519 ${ed64}`,
      'web',
      22,
      { is: 'revoked', at: 'known_hosts:2' },
    ],
    [
      'another key revoked',
      `web ssh-ed25519 ${ed64}\n@revoked * ssh-ed25519 ${other.toString('base64')}`,
      'web',
      22,
      { is: 'known' },
    ],
    [
      'an authority alone',
      `@cert-authority *.example.com ssh-rsa ${rsa64}`,
      'web.example.com',
      22,
      { is: 'certified', at: 'known_hosts:1' },
    ],
    [
      'an authority and the key itself',
      `@cert-authority * ssh-rsa ${rsa64}\nweb ssh-ed25519 ${ed64}`,
      'web',
      22,
      { is: 'known' },
    ],
    [
      "an authority's own key is no host's",
      `@cert-authority web ssh-ed25519 ${ed64}`,
      'web',
      22,
      { is: 'certified', at: 'known_hosts:1' },
    ],
    [
      'lines that are none',
      `\n#web ssh-ed25519 ${ed64}\nweb\n@unheard web ssh-ed25519 ${ed64}\n   `,
      'web',
      22,
      { is: 'unknown' },
    ],
    ['tabs and Windows line ends', `web\tssh-ed25519\t${ed64}\r\n`, 'web', 22, { is: 'known' }],
  ];
  test.each(cases)('%s', (_name, text, address, port, verdict) => {
    expect(judge(text, address, port)).toEqual(verdict);
  });

  test('an alias stands for the address', () => {
    expect(judge(`cluster ssh-ed25519 ${ed64}`, 'web', 2222, ed, 'cluster')).toEqual({ is: 'known' });
    expect(judge(`[web]:2222 ssh-ed25519 ${ed64}`, 'web', 2222, ed, 'cluster')).toEqual({ is: 'unknown' });
  });
});

test('the line that is offered makes the key known, and no other', () => {
  const name = fc.stringMatching(/^[a-z0-9:][a-z0-9.:-]{0,12}$/);
  fc.assert(
    fc.property(name, fc.integer({ min: 1, max: 65535 }), fc.integer({ min: 0, max: 255 }), (address, port, seed) => {
      const key = keyOf('ecdsa-sha2-nistp256', seed);
      const line = lineFor({ address, port, key });
      expect(judge(line, address, port, key)).toEqual({ is: 'known' });
      expect(judge(line, address, port, keyOf('ecdsa-sha2-nistp256', (seed + 1) % 256))).toEqual({
        is: 'changed',
        at: 'known_hosts:1',
      });
      expect(entriesFor(indexed(parseKnownHosts(line, 'f')), nameOf(`${address}x`, port))).toEqual([]);
    }),
  );
});

test('algorithms of known keys come first, and none is lost', () => {
  const known = indexed(parseKnownHosts(`web ssh-rsa ${rsa64}\n[db]:2222 ecdsa-sha2-nistp256 ${ed64}`, 'f'));
  expect(keyAlgorithms(known, 'web', 22).slice(0, 4)).toEqual([
    'rsa-sha2-512',
    'rsa-sha2-256',
    'ssh-rsa',
    'ssh-ed25519',
  ]);
  expect(keyAlgorithms(known, 'db', 2222)[0]).toBe('ecdsa-sha2-nistp256');
  expect([...keyAlgorithms(known, 'web', 22)].sort()).toEqual([...keyAlgorithms(known, 'new', 22)].sort());
});

test('of many entries the same speak of a name as of each alone, in their order', () => {
  const name = fc.constantFrom('web', 'WEB', 'web-1', '[web]:2222', 'we?', '*', '!web', '[web*', 'db');
  const line = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => `${names.join(',')} ssh-rsa ${rsa64}`);
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 8 }),
      fc.constantFrom('web', 'Web-1', '[web]:2222', 'db'),
      (lines, asked) => {
        const all = parseKnownHosts(lines.join('\n'), 'f');
        const alone = all.filter((entry) => entriesFor(indexed([entry]), asked).length > 0);
        expect(entriesFor(indexed(all), asked)).toEqual(alone);
      },
    ),
  );
});
