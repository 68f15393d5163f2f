import { describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { guarded } from '../../engine/cli/run/guarded.js';
import { thisHolder } from '../../engine/journal/holder.js';
import { readMarker } from '../../engine/journal/host-marker.js';
import { openJournal } from '../../engine/journal/journal.js';
import { LockLost } from '../../engine/journal/lock.js';
import { Leases } from '../../engine/run/lease.js';
import type { Action, Outcome } from '../../engine/terms/action.js';
import type { HostLease, Swapped } from '../../engine/terms/machine.js';

const HOLDER = thisHolder('apply', 'inventory.yaml', 0);
const OTHER = JSON.stringify({ ...HOLDER, token: 'another' });
const ACTION: Action = { do: 'directory', path: '/made' };
const LOST: Outcome = { is: 'unknown', why: 'connection', detail: 'lost' };
const failed: Swapped = { is: 'failed', why: 'unreachable', reason: 'away' };

/** One host with a lease file, on which actions come to what is given in turn; they are what the host was asked for under which lease. */
async function setUp(outcomes: readonly Outcome[], journal = openJournal({ nowMs: () => 0 })) {
  const host = { file: '', swaps: 0, isAway: false, answersOf: [] as (HostLease | undefined)[] };
  const swap = (_host: string, _file: string, expected: string, wanted: string): Promise<Swapped> => {
    host.swaps += 1;
    if (host.isAway) return Promise.resolve(failed);
    if (host.file !== expected) return Promise.resolve({ is: 'found', text: host.file });
    host.file = wanted;
    return Promise.resolve({ is: 'swapped' });
  };
  const project = {
    platform: { lease: { roles: ['node'], file: '/var/lease' } },
    inventory: { hosts: [{ name: 'a', roles: ['node'] }] },
  } as unknown as ConstructorParameters<typeof Leases>[0];
  const leases = new Leases(project, swap);
  await leases.take(HOLDER, () => undefined);
  const left = [...outcomes];
  const actor = guarded(
    {
      perform: (_on, _action, { lease }) => {
        host.answersOf.push(lease);
        return Promise.resolve(left.shift() ?? { is: 'applied' });
      },
      job: () => Promise.resolve({ is: 'absent' }),
      forgetJob: () => Promise.resolve(),
    },
    { journal, leases, holder: HOLDER, outbox: undefined },
  );
  const perform = (): Promise<Outcome> =>
    actor.perform({ host: 'a' }, ACTION, { id: '/play/step [element]@host:a/1/0' });
  return { host, leases, perform };
}

describe('an action of which it is not known what became', () => {
  test('is refused from then on by the lease, which is written in other words before the host is asked', async () => {
    const { host, perform } = await setUp([LOST]);
    expect(await perform()).toEqual(LOST);
    const [first] = host.answersOf;
    expect(host.file).not.toBe(first?.text);
    expect(await perform()).toEqual({ is: 'applied' });
    expect(host.answersOf[1]).toEqual({ file: '/var/lease', text: host.file });
  });

  test('on a host that is away keeps the next one from it until the lease is written', async () => {
    const { host, perform } = await setUp([LOST]);
    host.isAway = true;
    await perform();
    expect([await perform(), host.answersOf.length]).toEqual([expect.objectContaining({ is: 'unknown' }), 1]);
    host.isAway = false;
    // What was read meanwhile may be out of date: it is decided again.
    expect([await perform(), host.answersOf.length]).toEqual([expect.objectContaining({ is: 'unknown' }), 1]);
    expect([await perform(), host.answersOf.length]).toEqual([{ is: 'applied' }, 2]);
  });

  test('ends the run where another one has the host by then', async () => {
    const { host, perform } = await setUp([LOST]);
    host.file = OTHER;
    await expect(perform()).rejects.toThrow(LockLost);
    expect(host.file).toBe(OTHER);
  });

  test('a renewal whose answer was lost is found, and replaced', async () => {
    const { host, leases, perform } = await setUp([LOST]);
    host.file = JSON.stringify({ ...HOLDER, renewal: 7 });
    await perform();
    expect([host.file, leases.of('a')?.text]).toEqual([
      leases.of('a')?.text,
      expect.not.stringContaining('"renewal":7'),
    ]);
  });
});

test('an action that the host refuses for its lease ends the run', async () => {
  const { perform } = await setUp([{ is: 'refused', by: 'fence', found: '' }]);
  await expect(perform()).rejects.toThrow(LockLost);
});

test('with the lease goes the last record that was synced before the action, without a further message', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'runbook-lease-'));
  const journal = openJournal({ nowMs: () => 0, file: join(folder, 'journal.ndjson') });
  const { host, perform } = await setUp([], journal);
  const asked = host.swaps;
  const task = { step: 'play/step', on: { host: 'a' } };
  journal.emit({ e: 'host-chosen', play: 'play', host: 'a' });
  journal.emit({ e: 'task-skipped', task, name: 'not synced', because: '' });
  await perform();
  journal.emit({ e: 'host-left', play: 'play', host: 'a' });
  await perform();
  journal.close();
  const markers = host.answersOf.map((lease) => readMarker(lease?.marker ?? ''));
  rmSync(folder, { recursive: true });
  expect(markers.map((marker) => [marker?.seq, marker?.step])).toEqual([
    [1, 'play/step'],
    [3, 'play/step'],
  ]);
  expect([host.answersOf.length, host.swaps]).toEqual([2, asked]);
});

test('what was renewed is removed at the end', async () => {
  const { host, leases, perform } = await setUp([LOST]);
  await perform();
  await leases.release();
  expect(host.file).toBe('');
});

test('the end of a time limit is known: nothing is under way any more', async () => {
  const { host, leases, perform } = await setUp([{ is: 'unknown', why: 'timeout', detail: '' }]);
  const before = host.file;
  await perform();
  expect([host.file, leases.isDoubtful('a')]).toEqual([before, false]);
});
