import { describe, expect, test } from '@jest/globals';
import { contentOfTask, pathOfTask, textIn } from '../../engine/facts/pending-task.js';
import { contentOf } from '../../engine/modules/shared/text-file.js';

const read = (task: string, text: string): unknown => textIn(pathOfTask(task), contentOf(Buffer.from(text)));

describe('the file of a pending task', () => {
  const file = contentOfTask('push', '4.12.0-1 4.14.7-1\n');

  test('is read as the text that was recorded', () => {
    expect(read('push', file)).toEqual({ is: 'text', text: '4.12.0-1 4.14.7-1\n' });
  });

  test('of an earlier version is read as it is, and is known as one without a checksum', () => {
    expect(read('push', 'one\ntwo\n')).toEqual({ is: 'unsummed', text: 'one\ntwo\n' });
  });

  test.each([
    ['emptied', ''],
    ['of another task', contentOfTask('pull', '4.12.0-1 4.14.7-1\n')],
    ['with another version', file.replace('4.12', '4.13')],
    ['cut after its first character', '{'],
    ['with zeros', 'pending\0\0'],
  ])('%s is damaged', (_what, text) => {
    expect(read('push', text)).toEqual(
      expect.objectContaining({
        is: 'damaged',
        reason: '/var/lib/runbook/pending/push is damaged, so it is not known what is pending there',
      }),
    );
  });

  test('in another place is no such file', () => {
    expect(textIn('/etc/push', contentOf(Buffer.from(file)))).toEqual({ is: 'text', text: file });
  });
});
