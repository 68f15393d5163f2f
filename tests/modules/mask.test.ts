import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { maskPair } from '../../engine/modules/shared/mask.js';
import { sampled } from '../lib/sampled.js';

const secret = 'Zk9-hush_7Qx2';
const hidden = [
  `<cluster><key>${secret}</key></cluster>`,
  `<key>\n  ${secret}\n</key>`,
  `<key><!-- old: ${secret} --><![CDATA[${secret}]]></key>`,
  `<!-- <password>${secret}</password> -->`,
  `<hook_url>https://hooks.example.com/services/${secret}</hook_url>`,
  `<api_key>${secret}`,
  `password: ${secret}`,
  `opensearch.password: "${secret}"`,
  `  reserved_password: '${secret}' # mine`,
  `xpack.encryptionKey: ${secret}`,
  `- token: ${secret}`,
  `{ user: a, password: ${secret} }`,
  `password: |\n  ${secret}\n  ${secret}`,
  `secrets:\n  - ${secret}\nport: 1`,
  `-Djavax.net.ssl.trustStorePassword=${secret}`,
  `8-:-Dstore.password=${secret}`,
  `#password = ${secret}`,
  `export API_TOKEN=${secret}`,
  `https://user:${secret}@h:9200`,
  `url: https://hooks.slack.example/services/T0/${secret}`,
  `url: https://h/x?a=1&token=${secret}&b=2`,
  `Authorization: Bearer ${secret}`,
  `hash: "$2y$12$${secret}"`,
  `admin:$6$salt$${secret}:1`,
  `001 web-1 any ${'0123456789abcdef'.repeat(4)}`,
  `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----`,
];
const shown = [
  'server.ssl.key: /etc/platform-dashboard/certs/key.pem',
  '<key>/etc/filebeat/certs/filebeat-key.pem</key>',
  '<use_password>no</use_password>',
  '<list>etc/lists/audit-keys</list>',
  '-Xms8g',
  'server.port: 443 # https',
  'opensearch.hosts: [https://a:9200]',
  '<host>https://indexer-1:9200</host>',
  'deb [signed-by=/usr/share/keyrings/p.gpg] https://p.example.com/4.x/apt stable main',
  '# the key question',
];

describe('maskPair', () => {
  test.each(hidden)('hides what %j holds', (text) => {
    const [before, after] = maskPair(text, 'x\n');
    expect(before).not.toContain(secret);
    expect(before).not.toContain('0123456789abcdef');
    expect(before).toContain('[hidden: old]');
    expect(before.split('\n')).toHaveLength(text.split('\n').length);
    expect(after).toBe('x\n');
  });

  test.each(shown)('shows %j', (text) => {
    expect(maskPair(text, text)).toEqual([text, text]);
  });

  test('tells a value that changed from one that stays', () => {
    expect(maskPair('password: one-one-1\ntoken: two-two-2\n', 'password: one-one-1\ntoken: three-33\n')).toEqual([
      'password: [hidden]\ntoken: [hidden: old]\n',
      'password: [hidden]\ntoken: [hidden: new]\n',
    ]);
  });

  test('a value hidden once is hidden wherever it stands', () => {
    expect(maskPair(`password: ${secret}\n# was ${secret} before\n`, '')[0]).toBe(
      'password: [hidden: old]\n# was [hidden: old] before\n',
    );
  });

  test('lines stay lines, whatever the text', () => {
    const piece = fc.constantFrom(
      'password',
      ': ',
      '=',
      '\n',
      '<key>',
      '</key>',
      'secret',
      '"',
      ' ',
      '|',
      '- ',
      '#',
      'https://u:p@h',
      '<!--',
      '-->',
      'x',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.array(piece, { maxLength: 40 }), (a, b) => {
        const [before, after] = maskPair(a.join(''), b.join(''));
        expect([before.split('\n').length, after.split('\n').length]).toEqual([
          a.join('').split('\n').length,
          b.join('').split('\n').length,
        ]);
        expect(maskPair(a.join(''), a.join(''))[0]).toBe(maskPair(a.join(''), a.join(''))[1]);
      }),
      { numRuns: sampled(1000) },
    );
  });
});

test('a long word is left as it is', () => {
  // Work that grows with the square of its length would take minutes, and end in the limit of the test.
  const word = 'x'.repeat(300_000);
  expect(maskPair(`a: ${word}`, `a.${word}`)).toEqual([`a: ${word}`, `a.${word}`]);
});
