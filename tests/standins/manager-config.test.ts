import { describe, expect, test } from '@jest/globals';
import { checkConfig } from '../lab/packages/platform-manager/config-check.js';
import { defaultConf } from '../lab/packages/platform-manager/spec.js';
import { managerConf } from '../lab/standin-config.js';

const anything = (): boolean => true;
const oldLists = ['etc/lists/audit-keys', 'etc/lists/amazon/aws-eventnames', 'etc/lists/security-eventchannel'];
const newLists = ['etc/lists/malicious-ioc-md5', 'etc/lists/malicious-ioc-sha1', 'etc/lists/malicious-ioc-sha256'];

describe('the default configuration of the manager stand-in', () => {
  test.each([
    ['4.7.5', oldLists],
    ['4.12.0', oldLists],
    ['4.13.1', [...oldLists, ...newLists]],
    ['4.14.7', [...oldLists, ...newLists]],
  ])('%s passes its own check and names its lists (§2.7)', async (release, lists) => {
    const { config, errors } = checkConfig(await defaultConf(release), anything);
    expect(errors).toEqual([]);
    expect(config.lists).toEqual(lists);
  });

  test('has the old detector and no connector before 4.8 (§9.5.4)', async () => {
    const [old, later] = [await defaultConf('4.7.5'), await defaultConf('4.12.0')];
    expect([old.includes('<vulnerability-detector>'), old.includes('<indexer>')]).toEqual([true, false]);
    expect([later.includes('<vulnerability-detector>'), later.includes('<indexer>')]).toEqual([false, true]);
  });

  test('is what the engine must cope with: several roots, "--" in comments, bare "&"', async () => {
    const text = await defaultConf('4.12.0');
    expect(text.match(/^<platform_config>/gm)).toHaveLength(2);
    expect(text).toMatch(/<!--(?:(?!-->)[\s\S])*[^!<]--[^>]/);
    expect(text).toMatch(/&(?!\w+;)/);
  });
});

test('a place in the cluster is what the check reads back', async () => {
  const place = {
    release: '4.12.0',
    nodeName: 'server-2',
    nodeType: 'worker',
    clusterKey: 'k',
    master: '192.0.2.1',
    ca: '/ca.pem',
    certificate: '/certs/server-2.pem',
  } as const;
  const text = await managerConf({ ...place, indexers: ['https://192.0.2.11:9200', 'https://192.0.2.12:9200'] });
  expect(checkConfig(text, anything)).toEqual({
    errors: [],
    config: {
      lists: oldLists,
      indexerHosts: ['https://192.0.2.11:9200', 'https://192.0.2.12:9200'],
      indexerEnabled: true,
      indexerCa: '/ca.pem',
      indexerCertificate: '/certs/server-2.pem',
      indexerKey: '/certs/server-2-key.pem',
      nodeName: 'server-2',
      nodeType: 'worker',
      clusterKey: 'k',
      masters: ['192.0.2.1'],
      clusterEnabled: true,
    },
  });
});

describe('the check', () => {
  const root = (inner: string): string => `<platform_config>\n${inner}\n</platform_config>\n`;

  test('a second ruleset drops the lists of the first', () => {
    const text = root('<ruleset><list>a</list><list>b</list></ruleset>') + root('<ruleset><list>c</list></ruleset>');
    expect(checkConfig(text, anything).config.lists).toEqual(['c']);
  });

  test('of two indexer elements the last one counts', () => {
    const text =
      root('<indexer><hosts><host>https://a:9200</host></hosts></indexer>') +
      root('<indexer><hosts><host>https://0.0.0.0:9200</host></hosts></indexer>');
    expect(checkConfig(text, anything).config.indexerHosts).toEqual(['https://0.0.0.0:9200']);
  });

  test.each([
    ['an element that is not closed', '<platform_config>\n<global>\n', /<global> is not closed \(line 3\)/],
    ['an end without a beginning', root('</global>'), /<\/global> closes no <global> \(line 2\)/],
    ['a root of another name', '<ruleset></ruleset>', /Invalid element in the configuration: 'ruleset'/],
    ['a list that is not there', root('<ruleset><list>none</list></ruleset>'), /Could not open file 'none'/],
    ['a host that is no URL', root('<indexer><hosts><host>a b</host></hosts></indexer>'), /'host': a b/],
    ['a node of no known type', root('<cluster><node_type>boss</node_type></cluster>'), /'node_type': boss/],
  ])('refuses %s', (_, text, message) => {
    expect(checkConfig(text, () => false).errors.join('\n')).toMatch(message);
  });
});
