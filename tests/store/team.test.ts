import { afterAll, describe, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hearStops, requestStop } from '../../engine/cli/team/stop-request.js';
import { share } from '../../engine/cli/team/shared.js';
import { copyApprovals, exchange } from '../../engine/cli/team/exchange.js';
import { teamSettings } from '../../engine/cli/team/settings.js';
import { lockName, readTeam, type Team } from '../../engine/cli/team/team.js';
import { thisHolder } from '../../engine/journal/holder.js';
import { openJournal } from '../../engine/journal/journal.js';
import { holdersAt, lockFolder, LockLost, takeLock, type Lock } from '../../engine/journal/lock.js';
import {
  createRunFolder,
  inspectEvents,
  listRuns,
  openRunFolder,
  readCopy,
  runsOf,
  type RunCopy,
  type RunFolder,
  type Runs,
} from '../../engine/journal/run-folder.js';
import { sha256 } from '../../engine/lib/hash.js';
import { addApproval, addWaiverApproval, waiverApprovalsOf, waiverName } from '../../engine/store/approvals.js';
import { openFileStore } from '../../engine/store/files.js';
import type { RunStore } from '../../engine/store/run-store.js';
import type { Event } from '../../engine/terms/event.js';

const root = mkdtempSync(join(tmpdir(), 'runbook-team-'));
afterAll(() => rmSync(root, { recursive: true }));
let count = 0;

/** Two machines of a team, each with a folder of its own, and the team's store. */
function newTeam() {
  const base = join(root, String((count += 1)));
  const machine = (name: string): Runs => {
    mkdirSync(join(base, name), { recursive: true });
    return runsOf(join(base, name, 'inventory.yaml'));
  };
  const store = openFileStore(join(base, 'store', 'runs'));
  const team: Team = { store, name: 'nats://store/team', close: () => store.close() };
  return { a: machine('a'), b: machine('b'), team };
}

const copyOf = ({ inventory, folder }: Runs): RunCopy => ({
  version: 1,
  playbook: [{ file: '/usr/lib/runbook/playbooks/p.yaml', text: 'playbook: P' }],
  inventory: [{ file: inventory, text: 'hosts: {}' }],
  cwd: join(folder, '..', '..'),
  extraVars: {},
});
const started: Event = {
  e: 'run-started',
  run: 'r',
  verb: 'apply',
  playbook: 'P',
  inventory: 'inventory.yaml',
  hosts: 1,
  hash: 'h',
};
const newRun = (runs: Runs, nowMs = Date.UTC(2026, 10, 26)): RunFolder => createRunFolder(runs, nowMs, copyOf(runs));
function record({ journalFile: file, blobs }: RunFolder, ...events: readonly Event[]): void {
  const past = inspectEvents({ journalFile: file, blobs } as RunFolder).events;
  const journal = openJournal({ file, blobs, nowMs: () => 1, past });
  for (const event of events) journal.emit(event);
  journal.close();
}
const said = (runs: Runs, id: string): readonly string[] =>
  inspectEvents(openRunFolder(runs, id)).events.map(({ event }) => (event.e === 'warned' ? event.text : event.e));

async function lockOf(runs: Runs): Promise<Lock> {
  const lock = await takeLock(lockFolder(runs), thisHolder('apply', runs.inventory, 1), () => Promise.resolve());
  if ('takenBy' in lock) throw new Error('the lock is taken');
  return lock;
}
async function shareOf(team: Team, runs: Runs, takeOver = false) {
  const lock = await lockOf(runs);
  return { lock, shared: await share(team, runs, lock, () => takeOver) };
}

describe('runs of a team', () => {
  test('are on the other machine with its own paths, and continue there', async () => {
    const { a, b, team } = newTeam();
    const run = newRun(a);
    record(run, started, { e: 'warned', text: 'x'.repeat(5000) });
    await exchange(team.store, a, true);
    expect(await exchange(team.store, b, false)).toEqual([]);
    expect(listRuns(b)).toEqual([run.id]);
    expect(readCopy(openRunFolder(b, run.id))).toEqual({ ...copyOf(b), cwd: copyOf(b).cwd.replace(/\/$/, '') });
    record(openRunFolder(b, run.id), { e: 'warned', text: 'on b' });
    await exchange(team.store, b, true);
    await exchange(team.store, a, false);
    expect(said(a, run.id)).toEqual(['run-started', 'x'.repeat(5000), 'on b']);
    expect(readCopy(run).inventory[0]?.file).toBe(a.inventory);
  });

  test('a copy of another machine cannot name a file outside the folder', async () => {
    const { a, b, team } = newTeam();
    const run = newRun(a);
    record(run, started);
    await exchange(team.store, a, true);
    const { seal } = await import('../../engine/lib/sealed.js');
    const evil = { ...copyOf(a), cwd: '{project}/../../etc', inventory: [{ file: '{project}/../x.yaml', text: '' }] };
    await team.store.putBlob(run.id, 'copy.json', Buffer.from(seal(JSON.stringify(evil))));
    await exchange(team.store, b, false);
    const copy = readCopy(openRunFolder(b, run.id));
    expect([copy.cwd, copy.inventory[0]?.file]).toEqual(['{project}/../../etc', '{project}/../x.yaml']);
  });

  test('what a machine recorded and could not send is sent by the next command that has the lock, and by no other', async () => {
    const { a, b, team } = newTeam();
    const run = newRun(a);
    record(run, started);
    await exchange(team.store, a, true);
    record(run, { e: 'warned', text: 'later' });
    await exchange(team.store, a, false);
    await exchange(team.store, b, false);
    expect(said(b, run.id)).toEqual(['run-started']);
    await exchange(team.store, a, true);
    await exchange(team.store, b, false);
    expect(said(b, run.id)).toEqual(['run-started', 'later']);
  });

  test('what a machine recorded after another one had continued the run is set aside', async () => {
    const { a, b, team } = newTeam();
    const run = newRun(a);
    record(run, started);
    await exchange(team.store, a, true);
    await exchange(team.store, b, false);
    record(openRunFolder(b, run.id), { ...started, verb: 'resume', by: 'kim@b' }, { e: 'warned', text: 'on b' });
    await exchange(team.store, b, true);
    record(run, { e: 'warned', text: 'on a' });
    const [aside] = await exchange(team.store, a, true);
    expect(aside).toMatchObject({ run: run.id, from: 2, by: 'kim@b' });
    expect(said(a, run.id)).toEqual(['run-started', 'run-started', 'on b']);
    expect(readdirSync(aside?.folder ?? '')).toContain('journal.ndjson');
    expect(readCopy(run).inventory[0]?.file).toBe(a.inventory);
  });
});

test('approvals of waivers are copied to a machine, each once, and those of plans are not', async () => {
  const { a, team } = newTeam();
  const local = openFileStore(a.folder);
  const waiver = waiverName('2026-11-26T22-00-00Z', '0123456789abcdef');
  await addApproval(team.store, { plan: sha256('a plan'), by: 'kim@ctl-1', atMs: 1, untilMs: 2 });
  for (const by of ['kim@ctl-1', 'lee@ctl-1']) {
    await addWaiverApproval(team.store, { waiver, by, atMs: 1 });
    for (let time = 0; time < 2; time += 1) await copyApprovals(team.store, a);
  }
  expect(await local.approvals.list()).toEqual([{ run: waiver, lines: 2 }]);
  expect((await waiverApprovalsOf(local, waiver)).map(({ by }) => by)).toEqual(['kim@ctl-1', 'lee@ctl-1']);
});

test('a name of an approval that leads out of the folder keeps no other away', async () => {
  const { a, team } = newTeam();
  const waiver = waiverName('2026-11-26T22-00-00Z', '0123456789abcdef');
  await addWaiverApproval(team.store, { waiver, by: 'kim@ctl-1', atMs: 1 });
  const { approvals } = team.store;
  const list = async () => [{ run: '../../evil_x', lines: 3 }, ...(await approvals.list())];
  await copyApprovals({ ...team.store, approvals: { ...approvals, list } }, a);
  expect(await openFileStore(a.folder).approvals.list()).toEqual([{ run: waiver, lines: 1 }]);
});

describe('files and lines of a run', () => {
  test('a file that this machine wrote last is not replaced by the older one of the store, and is sent with the lock', async () => {
    const { a, b, team } = newTeam();
    const run = newRun(a);
    const log = join(run.path, 'run.log');
    record(run, started);
    writeFileSync(log, 'first part');
    await exchange(team.store, a, true);
    writeFileSync(log, 'first part, second part');
    await exchange(team.store, a, false);
    expect(readFileSync(log, 'utf8')).toBe('first part, second part');
    await exchange(team.store, a, true);
    await exchange(team.store, b, false);
    expect(readFileSync(join(openRunFolder(b, run.id).path, 'run.log'), 'utf8')).toBe('first part, second part');
  });

  test('of another inventory in the same folder are not sent: its own process does that', async () => {
    const { a, team } = newTeam();
    const other = runsOf(join(a.inventory, '..', 'other.yaml'));
    const run = newRun(other);
    record(run, started);
    await exchange(team.store, a, true);
    expect(await team.store.list()).toEqual([]);
    await exchange(team.store, other, true);
    expect(await team.store.list()).toEqual([{ run: run.id, lines: 1 }]);
  });

  test('of a run that cannot be read do not keep those of others away', async () => {
    const { a, b, team } = newTeam();
    const run = newRun(a);
    record(run, started);
    await exchange(team.store, a, true);
    const bad: RunStore = {
      ...team.store,
      list: async () => [{ run: '../evil', lines: 3 }, ...(await team.store.list())],
    };
    await exchange(bad, b, false);
    expect(listRuns(b)).toEqual([run.id]);
  });
});

describe('the lock of a team', () => {
  test('keeps another machine out, which then knows who works there', async () => {
    const { a, b, team } = newTeam();
    const { shared } = await shareOf(team, a);
    expect(shared).not.toHaveProperty('takenBy');
    // Of the same test process: elsewhere it would not be known whether it still works.
    const second = await shareOf(team, b);
    expect(second.shared).toMatchObject({ takenBy: { inventory: a.inventory } });
    second.lock.release();
    await readTeam(team, b);
    expect(holdersAt(b).map(({ inventory }) => inventory)).toEqual([a.inventory]);
    if ('release' in shared) await shared.release();
    await readTeam(team, b);
    expect(holdersAt(b)).toEqual([]);
  });

  test('taken over, leaves a record that fences who had it', async () => {
    const { a, b, team } = newTeam();
    const { shared: first } = await shareOf(team, a);
    if ('takenBy' in first) throw new Error('taken');
    const run = newRun(a);
    const outbox = first.outbox(run, 0, { signal: new AbortController().signal, onWaiting: () => undefined });
    await first.sendFiles(run);
    const journal = openJournal({ file: run.journalFile, blobs: run.blobs, nowMs: () => 1, send: outbox.push });
    journal.emit(started);
    await outbox.flushed();

    const { shared: second } = await shareOf(team, b, true);
    expect(second).toMatchObject({ replaces: { inventory: a.inventory } });
    expect(said(b, run.id)).toEqual(['run-started', 'taken-over']);
    journal.emit({ e: 'warned', text: 'after it woke up' });
    await expect(outbox.flushed()).rejects.toBeInstanceOf(LockLost);
    await exchange(team.store, b, false);
    expect(said(b, run.id)).toEqual(['run-started', 'taken-over']);
    journal.close();
  });

  test('taken over, fences every unfinished run: a rollback, and the run that it rolls back', async () => {
    const { a, b, team } = newTeam();
    const { shared: first } = await shareOf(team, a);
    if ('takenBy' in first) throw new Error('taken');
    // The clock of the machine of the first run is ahead: the later run is the last by name all the same.
    const runs = [newRun(a, Date.UTC(2026, 10, 26, 1)), newRun(a, Date.UTC(2026, 10, 26))];
    expect(listRuns(a)).toEqual(runs.map(({ id }) => id));
    for (const run of runs) record(run, started);
    await exchange(team.store, a, true);
    await shareOf(team, b, true);
    for (const { id } of runs) expect(said(b, id)).toEqual(['run-started', 'taken-over']);
  });

  test('taken over before its holder began a run: that run does not begin', async () => {
    const { a, b, team } = newTeam();
    const { shared: first } = await shareOf(team, a);
    if ('takenBy' in first) throw new Error('taken');
    await shareOf(team, b, true);
    const run = newRun(a);
    expect(await first.isOurs()).toBe(false);
    const outbox = first.outbox(run, 0, { signal: new AbortController().signal, onWaiting: () => undefined });
    const journal = openJournal({ file: run.journalFile, blobs: run.blobs, nowMs: () => 1, send: outbox.push });
    journal.emit(started);
    await expect(outbox.flushed()).rejects.toBeInstanceOf(LockLost);
    journal.close();
  });

  test('of one inventory is not that of its model, or of another file', () => {
    const [one, other] = [runsOf('/x/inventory.yaml'), runsOf('/x/inventory-yaml')];
    const names = [one, { ...one, ofModel: true }, other].map(lockName);
    expect(new Set(names).size).toBe(3);
    expect(lockName(runsOf('/other/place/inventory.yaml'))).toBe(names[0]);
  });
});

describe('the configuration of a store', () => {
  const project = (text: string): string => {
    const folder = join(root, String((count += 1)));
    mkdirSync(folder);
    writeFileSync(join(folder, 'runbook.config.yaml'), text);
    return join(folder, 'inventory.yaml');
  };
  const none = { HOME: '/nonexistent' };

  test('without one there is none', async () => {
    expect(await teamSettings(join(root, 'inventory.yaml'), none)).toBeUndefined();
    expect(await teamSettings(project('store: nats://a:4222/team\n'), { ...none, RUNBOOK_STORE: '' })).toBeUndefined();
  });

  test('of the project, with files from its folder; the environment goes first', async () => {
    const inventory = project('store: nats://a:4222,b:4222/team\nstore_ca: ca.pem\n');
    const caFile = join(inventory, '..', 'ca.pem');
    writeFileSync(caFile, '');
    expect(await teamSettings(inventory, none)).toEqual({ servers: ['a:4222', 'b:4222'], store: 'team', caFile });
    expect(await teamSettings(inventory, { ...none, RUNBOOK_STORE: 'nats://c:4222/other' })).toMatchObject({
      servers: ['c:4222'],
      store: 'other',
      caFile,
    });
    expect(await teamSettings(inventory, { ...none, RUNBOOK_STORE_CA: '' })).not.toHaveProperty('caFile');
  });

  test.each([
    ['store: [a]\n', 'store takes a text'],
    ['stores: nats://a:4222/team\n', 'did you mean store?'],
    ['- store\n', 'is not a map'],
    ['store: {\n', 'is not YAML'],
    ['store: nats://user:secret@a:4222/team\n', 'store (or RUNBOOK_STORE) is not as in nats://'],
    ['store: nats://a:4222\n', 'store (or RUNBOOK_STORE) is not as in nats://'],
    ['store: nats://a:4222,127.0.0.1:4222/team\n', '127.0.0.1:4222: a server is given by its name'],
    ['store: nats://a:4222/team\nstore_user: u\n', 'store_user and store_password'],
    ['store: nats://a:4222/team\nstore_ca: gone.pem\n', 'store_ca: the file '],
  ])('%j is one clear mistake', async (text, wanted) => {
    const settings = await teamSettings(project(text), none);
    expect(settings).toMatchObject({ mistake: expect.stringContaining(wanted) });
    expect(JSON.stringify(settings)).not.toContain('secret');
  });
});

describe('a stop from another machine', () => {
  test('is heard once the process can stop in order, and is over when it has given its lock back', async () => {
    const { a, b, team } = newTeam();
    const self = thisHolder('apply', a.inventory, Date.now());
    await team.store.lock(lockName(a), self);
    const answers = [true, false];
    const endHearing = hearStops(team.store, self, () => answers.pop() ?? false);
    const request = await requestStop(team.store, b, self);
    expect(await request?.isHeard(60_000)).toBe(true);
    expect(answers).toEqual([]);
    await Promise.all([endHearing(), team.store.release(lockName(a), self)]);
    await request?.isOver();
    expect(await requestStop(team.store, b, self)).toBeUndefined();
  });

  test('that no process hears says so, and is heard later; one of another operator is as good', async () => {
    const { a, b, team } = newTeam();
    const self = thisHolder('apply', a.inventory, Date.now());
    await team.store.lock(lockName(a), self);
    const requests = [await requestStop(team.store, b, self), await requestStop(team.store, b, self)];
    expect(await requests[0]?.isHeard(50)).toBe(false);
    const endHearing = hearStops(team.store, self, () => true);
    for (const request of requests) expect(await request?.isHeard(60_000)).toBe(true);
    await endHearing();
  });

  test('goes only to the process that the store knows', async () => {
    const { a, b, team } = newTeam();
    const self = thisHolder('apply', a.inventory, Date.now());
    await team.store.lock(lockName(a), self);
    // The file of the team's holder on this machine has another token.
    expect(await requestStop(team.store, b, { ...self, token: 'team' })).toBeDefined();
    expect(await requestStop(team.store, b, { ...self, start: 'later' })).toBeUndefined();
  });
});
