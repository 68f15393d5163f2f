import { describe, expect, test } from '@jest/globals';
import { exportObjects, importObjects } from '../lab/packages/platform-dashboard/saved-objects.js';
import { readSettings } from '../lab/packages/platform-dashboard/settings.js';
import { dashboardYml } from '../lab/standin-config.js';

test('settings read the same flat, nested and mixed', () => {
  const expected = new Map<string, unknown>([
    ['server.ssl.key', '/k'],
    ['server.port', 443],
    ['opensearch.hosts', ['https://a', 'https://b']],
  ]);
  const nested = 'server:\n  ssl:\n    key: /k\n  port: 443\nopensearch.hosts: ["https://a", "https://b"]\n';
  const flat = '# a comment\nserver.ssl.key: "/k"\nserver.port: 443\nopensearch:\n  hosts: [https://a, https://b]\n';
  expect(readSettings(nested)).toEqual(expected);
  expect(readSettings(flat)).toEqual(expected);
});

test('the default configuration takes the indexers', async () => {
  const settings = readSettings(await dashboardYml('4.12.0', ['https://192.0.2.11:9200', 'https://192.0.2.12:9200']));
  expect(settings.get('opensearch.hosts')).toEqual(['https://192.0.2.11:9200', 'https://192.0.2.12:9200']);
  expect(settings.get('server.ssl.certificate')).toBe('/etc/platform-dashboard/certs/dashboard.pem');
});

describe('saved objects', () => {
  const object = (id: string, title = id) => ({ type: 'index-pattern', id, attributes: { title }, references: [] });
  const form = (...objects: unknown[]): string =>
    `--B\r\nContent-Disposition: form-data; name="file"; filename="o.ndjson"\r\n\r\n${objects.map((each) => JSON.stringify(each)).join('\n')}\r\n--B--\r\n`;

  test('what was exported imports into an empty dashboard', () => {
    const { body } = exportObjects([object('a'), object('b')], '{"type":"*"}');
    const { answer, objects } = importObjects(
      [],
      form(...body.split('\n').map((line) => JSON.parse(line) as unknown)),
      false,
    );
    expect(objects).toEqual([object('a'), object('b')]);
    expect(JSON.parse(answer.body)).toMatchObject({ success: true, successCount: 2 });
  });

  test('one that is there already is a conflict, with status 200, and stays', () => {
    const { answer, objects } = importObjects([object('a', 'old')], form(object('a', 'new'), object('b')), false);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toMatchObject({
      success: false,
      successCount: 1,
      errors: [{ id: 'a', error: { type: 'conflict' } }],
    });
    expect(objects).toEqual([object('a', 'old'), object('b')]);
  });

  test('overwrite replaces it', () => {
    const { answer, objects } = importObjects([object('a', 'old')], form(object('a', 'new')), true);
    expect(JSON.parse(answer.body)).toMatchObject({ success: true, successCount: 1 });
    expect(objects).toEqual([object('a', 'new')]);
  });

  test('an export names its types, an import is a form', () => {
    expect(exportObjects([], '{}').status).toBe(400);
    expect(importObjects([], '{}', false).answer.status).toBe(415);
  });
});
