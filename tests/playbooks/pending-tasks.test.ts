import { afterAll, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { putFile } from '../../engine/simulator/files.js';
import type { Ran } from '../run/bench-hosts.js';
import { platform } from './platform-bench.js';

const folder = mkdtempSync(join(tmpdir(), 'runbook-pending-'));
const file = join(folder, 'playbook.yaml');
writeFileSync(
  file,
  `playbook: P
plays:
  - play: One
    hosts: indexer-1
    steps:
      - step: Apply the security configuration
        when: fact.security_pending != ""
        command: { argv: ["true"], changes: nothing, timeout: 1m }
`,
);
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** A plan on the model where the file of this pending task is empty, as a power loss may leave it. */
async function planned(host: string, task: string): Promise<Ran> {
  const { state, run } = await platform({}, (project) => project, file);
  const on = state.hosts[host];
  if (on === undefined) throw new Error(`there is no ${host}`);
  putFile(on, `/var/lib/runbook/pending/${task}`, { text: '' }, 1);
  return run('plan');
}

test('a damaged pending task is not taken for nothing pending', async () => {
  const { end, events } = await planned('indexer-1', 'security-configuration');
  expect(end).toBe('unreachable');
  expect(events).toContainEqual(
    expect.objectContaining({
      e: 'undecided',
      task: expect.objectContaining({ on: { host: 'indexer-1' } }) as unknown,
      because: expect.stringContaining('/var/lib/runbook/pending/security-configuration is damaged') as unknown,
      unread: 'stops',
    }),
  );
});

test('nothing begins where it is not known which version an upgrade began with', async () => {
  const { end, events } = await planned('server-1', 'upgrade-of-manager');
  expect(end).toBe('refused');
  expect(events).toContainEqual(
    expect.objectContaining({
      e: 'host-lost',
      host: 'server-1',
      reason: expect.stringContaining('/var/lib/runbook/pending/upgrade-of-manager is damaged') as unknown,
    }),
  );
});
