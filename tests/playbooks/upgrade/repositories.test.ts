import { expect, test } from '@jest/globals';
import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import { platform, runOn, shippedProject } from '../platform-bench.js';
import { edit, endOf, hostOf } from '../platform-looks.js';

const LIST = '/etc/apt/sources.list.d/platform.list';
const REPO = '/etc/yum.repos.d/platform.repo';
const AROUND: Readonly<Record<string, (own: string) => string>> = {
  [LIST]: (own: string) =>
    `# deb packages of the platform; ask the night shift before you enable them\n#deb http://mirror.local/debian stable main\n${own}# deb-src ${own.replace('#deb ', '')}`,
  [REPO]: (own: string) =>
    `[mirror]\nbaseurl=http://mirror.local/x\nenabled=0\n${own}[tools]\nbaseurl=http://mirror.local/tools\nenabled=1\n`,
};

const fileOf = (state: PlatformState, host: string): string => (hostOf(state, host).family === 'deb' ? LIST : REPO);
const textsOf = (state: PlatformState): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    Object.keys(state.hosts).map((name) => [name, hostOf(state, name).files[fileOf(state, name)]?.text]),
  );
/** What was enabled that was not, or the other way round, at any time. */
function watching(state: PlatformState): { seen: Set<string>; on: () => void } {
  const before = textsOf(state);
  const seen = new Set<string>();
  const on = (): void => {
    for (const [name, text] of Object.entries(textsOf(state))) {
      const was = (before[name] ?? '').split('\n');
      for (const [at, line] of (text ?? '').split('\n').entries()) if (line !== was[at]) seen.add(line);
    }
  };
  return { seen, on };
}

test('an upgrade enables and disables the platform’s repository alone: other entries and prose stay as they are', async () => {
  const { project, run, state } = await platform({ rpmHosts: ['indexer-3', 'server-2', 'linux-2'] });
  for (const name of Object.keys(state.hosts))
    edit(state, [name], fileOf(state, name), (text) => AROUND[fileOf(state, name)]?.(text) ?? text);
  const before = textsOf(state);
  const { seen, on } = watching(state);
  expect(endOf(await run('apply', { on }))).toEqual(['done']);
  expect(textsOf(state)).toEqual(before);
  expect([...seen].sort()).toEqual([
    'deb [signed-by=/usr/share/keyrings/platform.gpg] https://packages.example.com/4.x/apt/ stable main',
    'enabled=1',
  ]);
  const back = { ...(await shippedProject('verify.yaml')), inventory: project.inventory };
  for (const name of Object.keys(state.hosts))
    edit(state, [name], fileOf(state, name), (text) =>
      text.replace('#deb [', 'deb [').replace('4.x/yum/\nenabled=0', '4.x/yum/\nenabled=1'),
    );
  expect(endOf(await runOn(back, state, 'apply', { name: 'verify' }))).toEqual(['done']);
  expect(textsOf(state)).toEqual(before);
});

test('a file that does not name the platform’s repository is refused before anything is stopped, with what to set', async () => {
  const { run, state } = await platform();
  edit(state, ['indexer-2'], LIST, (text) => text.replace('packages.example.com', 'mirror.local'));
  const [end, why] = endOf(await run('apply'));
  expect([end, why]).toEqual([
    'failed',
    expect.stringMatching(/has no package repository of .*names\.repository\.url/),
  ]);
  expect(Object.values(state.hosts).every((h) => h.services['platform-indexer']?.starts !== 2)).toBe(true);
});
