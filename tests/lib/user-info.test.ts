import { expect, it } from '@jest/globals';
import { withoutUserInfo } from '../../engine/lib/user-info.js';

it.each([
  ['https://robot:hunter2@example.com/x', 'https://[hidden]@example.com/x'],
  ['{"from":"https://token@example.com/x","name":"a@b"}', '{"from":"https://[hidden]@example.com/x","name":"a@b"}'],
  ['https://robot:hunt/er2@example.com/x', 'https://[hidden]@example.com/x'],
  ['https://example.com:8443/@ours/x.zip', 'https://example.com:8443/@ours/x.zip'],
  ['https://example.com/@ours/x.zip', 'https://example.com/@ours/x.zip'],
  ['/srv/x@1.zip', '/srv/x@1.zip'],
])('shows no user and no password of %s', (text, shown) => expect(withoutUserInfo(text)).toBe(shown));
