import { beforeAll, describe, expect, test } from '@jest/globals';
import { green } from '../lab/indexer-client.js';
import { inventoryFile } from '../lab/inventory.js';
import { powerOn } from '../lab/power.js';
import { hostNamed } from '../lab/topology.js';
import { startWriter, stopWriter, verifyWritten } from '../lab/writer.js';
import { freshLab } from '../system/support/lab.js';
import { packagesOn } from '../system/support/platform.js';
import { powerFailure } from '../system/support/power.js';
import { eventsOf, runbook, start, tellOf } from '../system/support/runbook.js';

const PLAYBOOK = 'upgrade-4.14.yaml';
const inventory = (): string[] => ['-i', inventoryFile()];
const UPGRADE = 'Upgrade the package';

describe('a host whose power fails inside its package transaction, with the controller killed', () => {
  beforeAll(async () => {
    await freshLab();
    await startWriter();
  });

  test('is waited for by name; booted again, the run goes on with it', async () => {
    const host = hostNamed('indexer-2');
    const cut = await powerFailure(['apply', PLAYBOOK, '-y', ...inventory()], host, UPGRADE);
    expect(`${cut.exit} ${cut.exit === -1 ? '' : tellOf(cut)}`).toBe('-1 ');
    let booting: Promise<void> | undefined;
    const dashboard = hostNamed('dashboard-1');
    const away = (text: string): boolean => text.startsWith(`${host.name} cannot be reached (`);
    const resumed = await powerFailure(['resume', '-y', ...inventory()], dashboard, UPGRADE, {
      onEvent: ({ event }) => {
        if (event.e === 'waiting' && away(event.for)) booting ??= powerOn(host);
      },
    });
    await booting;
    expect(`${resumed.exit} ${resumed.exit === -1 ? '' : tellOf(resumed)}`).toBe('-1 ');
    expect(eventsOf(resumed, 'waiting').filter((e) => away(e.for))[0]?.for).toMatch(
      /"Upgrade the package" may be running/,
    );
    expect(await packagesOn(host)).toMatchObject({
      'platform-indexer': expect.stringContaining('4.14.7-1') as unknown,
    });
  });

  test('one that never boots again: resume names it, the first Ctrl-C ends the wait, and the run is closed without it', async () => {
    const running = start(['resume', '-y', '--json', ...inventory()], {
      onEvent: ({ event }) => {
        if (event.e === 'waiting' && event.for.startsWith('dashboard-1 cannot be reached')) running.interrupt();
      },
    });
    const stopped = await running.done;
    expect([130, 4]).toContain(stopped.exit);
    expect(stopped.stdout).not.toContain('still running');
    const refused = await runbook(['resume', '-y', '--without', 'dashboard-1', ...inventory()]);
    expect([refused.exit, refused.stderr]).toEqual([3, expect.stringMatching(/§7/)]);
    const closed = await runbook(['close', '-y', '--without', 'dashboard-1', ...inventory()]);
    await stopWriter();
    expect(`${closed.exit} ${closed.exit === 0 ? '' : tellOf(closed)}`).toBe('0 ');
    expect(closed.stderr).toContain('Without dashboard-1');
    expect(await green(60_000)).toMatchObject({ number_of_nodes: 3 });
    expect((await verifyWritten()).missing).toEqual([]);
  });
});
