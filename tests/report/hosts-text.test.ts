import { expect, test } from '@jest/globals';
import { hostsText } from '../../engine/report/model-mark.js';

test.each([
  [{ hosts: 1 }, '1 host'],
  [{ hosts: 8, zones: ['berlin'] }, '8 hosts (zone berlin)'],
  [{ hosts: 8, model: 3, zones: ['berlin', 'lisbon'] }, '8 hosts (zones berlin, lisbon) PARTLY ON THE MODEL'],
])('%j is shown as "%s"', (started, text) => expect(hostsText(started)).toBe(text));
