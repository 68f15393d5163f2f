import { expect, test } from '@jest/globals';
import { silentHosts } from '../../engine/zones/silent-hosts.js';

const SILENCE = { for: 'no answer from 10.0.0.1 yet', forMs: 5_000, limitMs: 15_000 };
/** Work that ends only where its host is given up. */
const untilGivenUp = (signal: AbortSignal): Promise<string> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve('given up');
    signal.addEventListener('abort', () => resolve('given up'));
  });

test('a silent host is reported once for all that waits for it, and again after it has answered', async () => {
  const heard: string[] = [];
  const hosts = silentHosts((host) => heard.push(host));
  const tell = (): Promise<void> => {
    hosts.hear('a', SILENCE);
    return Promise.resolve();
  };
  await Promise.all([hosts.waitFor('a', tell), hosts.waitFor('a', tell)]);
  expect(heard).toEqual(['a']);
  await hosts.waitFor('a', tell);
  expect(heard).toEqual(['a', 'a']);
});

test('what waits for a silent host ends with the wait, whichever comes first, and what waits for another host goes on', async () => {
  const hosts = silentHosts(undefined);
  const ended: string[] = [];
  const wait = (host: string): Promise<number> => hosts.waitFor(host, untilGivenUp).then(() => ended.push(host));
  const [early, late] = [wait('early'), wait('late')];
  void wait('other');
  hosts.hear('early', SILENCE);
  hosts.stopWaiting();
  await early;
  hosts.hear('late', SILENCE);
  await late;
  // Asked again, it is not waited for.
  await wait('late');
  expect(ended).toEqual(['early', 'late', 'late']);
});
