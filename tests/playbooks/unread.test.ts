import { afterAll, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopService } from '../../engine/platforms/security-monitoring/simulator/platform.js';
import type { Ran } from '../run/bench-hosts.js';
import { platform } from './platform-bench.js';

const folder = mkdtempSync(join(tmpdir(), 'runbook-unread-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const unit = (name: string, state: string): string =>
  `{ step: Make it ${state}, systemctl: { unit: "{{${name}.service}}", state: ${state} } }`;
const LOOK = '{ step: The API answers, check: { that: fact.manager_version >= "4.12", message: no } }';
let written = 0;

/** On the shipped platform, whose master does not run: these steps on the master. */
async function stopped(...steps: readonly string[]): Promise<Awaited<ReturnType<typeof platform>>> {
  const file = join(folder, `playbook-${(written += 1)}.yaml`);
  const lines = steps.map((step) => `      - ${step}\n`).join('');
  writeFileSync(file, `playbook: P\nplays:\n  - play: One\n    hosts: master\n    steps:\n${lines}`);
  const made = await platform({}, (project) => project, file);
  const master = made.state.hosts['server-1'];
  if (master === undefined) throw new Error('there is no server-1');
  stopService(made.state, master, 'platform-manager');
  return made;
}

const undecided = ({ end, events }: Ran): readonly unknown[] => [
  end,
  ...events.flatMap((e) => (e.e === 'undecided' ? [[e.name, e.unread ?? '', ...e.dependsOn]] : [])),
];

describe('a check of an endpoint that does not answer', () => {
  test('of a component that the plan starts is known after that, and the run waits for the answer', async () => {
    const { run } = await stopped(unit('manager', 'started'), LOOK);
    const planned = undecided(await run('plan'));
    expect(planned).toEqual(['done', ['The API answers', '', expect.stringMatching(/One\/Make it started$/)]]);
    expect((await run('apply')).end).toBe('done');
  });

  test.each([
    ['of a component that nothing starts', []],
    ['of one that the plan stops', [unit('manager', 'stopped')]],
    ['while the plan starts another', [unit('shipper', 'started')]],
  ])('%s makes the plan not complete', async (_what, steps) => {
    const { run } = await stopped(...steps, LOOK);
    expect(undecided(await run('plan'))).toEqual(['unreachable', ['The API answers', 'stops']]);
  });

  test('so does a module that looks there', async () => {
    const listed = '{ step: No agent is newer, agents: { endpoint: api, state: not_newer, version: 4.14.7 } }';
    const { run } = await stopped(listed);
    expect(undecided(await run('plan'))).toEqual(['unreachable', ['No agent is newer', 'stops']]);
  });
});
