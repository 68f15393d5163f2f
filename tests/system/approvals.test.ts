import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { chmodSync, chownSync, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { lockName } from '../../engine/cli/team/team.js';
import { thisHolder } from '../../engine/journal/holder.js';
import { runsOf } from '../../engine/journal/run-folder.js';
import { seal, unseal } from '../../engine/lib/sealed.js';
import { sha256 } from '../../engine/lib/hash.js';
import { addApproval } from '../../engine/store/approvals.js';
import { openNatsStore } from '../../engine/store/nats/nats-store.js';
import type { JsonObject } from '../../engine/terms/json.js';
import { startCluster, storeEnv, type Cluster } from '../lab/nats.js';
import { localHarness, onePlay, PLATFORM, touch, type Harness } from '../cli/cli-harness.js';

/** Each person is a user of this machine; all work in one folder, and the one host is that folder, too. */
const UIDS = { root: 0, daemon: 1, bin: 2 } as const;
type Person = keyof typeof UIDS;

let cluster: Cluster;
let at: Harness;
let stores = 0;
let env: Record<string, string> = {};

const run = (args: readonly string[], by: Person = 'root', more: Record<string, string> = {}) =>
  at.run(args, { env: { ...env, ...more }, uid: UIDS[by], gid: UIDS[by] });
const approve = (by: Person, ...more: readonly string[]) => run(['approve', 'change.plan', '-y', ...more], by);
const made = (): boolean => existsSync(at.path('one'));
const PLAN = ['plan', 'test.yaml', '-o', 'change.plan'];

beforeAll(async () => {
  cluster = await startCluster();
  // The other users read the certificate and the credentials.
  chmodSync(dirname(cluster.caFile), 0o755);
});
afterAll(() => cluster.stop());

beforeEach(async () => {
  env = storeEnv(cluster, `approvals${(stores += 1)}`);
  at = localHarness(onePlay(touch('one', 'one')));
  chmodSync(at.folder, 0o755);
  at.write('inventory.yaml', `approvals: 2\n${at.read('inventory.yaml')}`);
  expect(await run(['store', 'create'])).toMatchObject({ exitCode: 0 });
});
afterEach(() => at.end());

const openStore = () =>
  openNatsStore({ ...cluster, login: cluster.user, store: env['RUNBOOK_STORE']?.split('/').at(-1) ?? '' });

/** A plan that the other persons can read. */
async function plan(): Promise<unknown> {
  const { stdout } = await run(PLAN);
  chmodSync(at.path('change.plan'), 0o644);
  return stdout;
}

test('a plan is applied once enough persons other than its author approved it, and the run says who', async () => {
  expect(await plan()).toContain('runbook approve change.plan   by 2 other persons\n');
  const none = await run(['apply', 'change.plan', '-y']);
  expect([none.exitCode, none.stderr]).toEqual([
    3,
    expect.stringMatching(
      /^runbook: change\.plan \(\w{8}\) has 0 of 2 approvals; nothing was changed\n {2}runbook approve \S+change\.plan {3}by 2 more, not its author root@\S+$/,
    ),
  ]);
  const own = await approve('root');
  expect([own.exitCode, own.stderr]).toEqual([3, expect.stringMatching(/was made by root@\S+, who cannot approve it/)]);
  const first = await approve('daemon');
  expect([first.exitCode, first.stdout]).toEqual([
    0,
    expect.stringMatching(/^Approved by daemon@\S+ until .* UTC\.\nApply it: {2}runbook apply change\.plan$/),
  ]);
  expect(first.stderr).toMatch(
    /^change\.plan \(\w{8}\)\n {2}Playbook {3}Try\n {2}Inventory {2}\S+inventory\.yaml\n {2}Changes {4}1 on a\n {2}Made {7}.* UTC by root@\S+, valid until .* UTC\n {2}SHA-256 {4}[0-9a-f]{64}\nApprovals: none$/,
  );
  expect((await approve('daemon', '--expires', '2d')).exitCode).toBe(0);
  const one = await run(['apply', 'change.plan', '-y']);
  expect([one.exitCode, one.stderr]).toEqual([
    3,
    expect.stringMatching(/has 1 of 2 approvals \(daemon@\S+\); nothing was changed\n.* by 1 more, not its author/),
  ]);
  expect([made(), at.runs()]).toEqual([false, []]);
  expect((await approve('bin')).exitCode).toBe(0);
  expect((await run(['approve', 'change.plan', '--show'])).stdout).toMatch(
    /\nApprovals:\n(?: {2}.* UTC {2}daemon@\S+ {2}until .* UTC\n){2} {2}.* UTC {2}bin@\S+ {2}until .* UTC$/,
  );
  expect(await run(['apply', 'change.plan', '-y'])).toMatchObject({ exitCode: 0 });
  expect(made()).toBe(true);
  expect((await run(['show'])).stdout).toMatch(/ UTC {2}apply {3}root@\S+ · approved by daemon@\S+, bin@\S+$/m);
  expect((await run(['report', '--format', 'md'])).stdout).toMatch(/Approved by.*daemon@\S+, bin@/);
});

describe('a requirement that one person waived when the run had failed', () => {
  const WAIVE = ['resume', '-y', '-e', 'others=dead', '--waive', 'others_first', '--reason', 'CHG-2'];
  const people = new Map<Person, Harness>();

  /** The others work in folders of their own, as on machines of their own. */
  const by = (person: Person, ...args: readonly string[]) =>
    people.get(person)?.run(args, { env, uid: UIDS[person], gid: UIDS[person] });
  /** The lines of what was waived, as a person's machine shows them. */
  const waivedAt = async (person: Person): Promise<readonly string[]> =>
    String((await by(person, 'show'))?.stdout)
      .split('\n')
      .flatMap((line) => / · (waives .*) · CHG-2$/.exec(line)?.[1]?.replaceAll(/@\S+ \(.*? UTC\)/g, '') ?? []);

  beforeEach(async () => {
    at.write(
      'platform.yaml',
      `${PLATFORM.replace('vars: {}', 'vars: { others: done }')}checks:
  others_first: { that: vars.others == "done", description: The others come first }
`,
    );
    at.write(
      'test.yaml',
      `${onePlay(touch('one', 'no/one'))}  - play: Go on
    hosts: all
    requires: [others_first]
    steps:
${touch('two', 'no/two/two')}`,
    );
    people.set('root', at);
    for (const person of ['daemon', 'bin'] as const) {
      const own = localHarness(at.read('test.yaml'));
      for (const file of ['inventory.yaml', 'platform.yaml']) own.write(file, at.read(file));
      chownSync(own.folder, UIDS[person], UIDS[person]);
      people.set(person, own);
    }
    await plan();
    for (const person of ['daemon', 'bin'] as const) expect((await approve(person)).exitCode).toBe(0);
    expect(await run(['apply', 'change.plan', '-y'])).toMatchObject({ exitCode: 1 });
  });
  afterEach(() => {
    for (const own of people.values()) if (own !== at) own.end();
  });

  test('is approved by others afterwards, also while another machine holds the run, and after it was closed', async () => {
    const [id = ''] = at.runs();
    const without = await by('daemon', 'approve', id, '-y');
    expect([without?.exitCode, without?.stderr]).toEqual([
      2,
      `runbook: the run ${id} has no waiver that others are to approve`,
    ]);
    mkdirSync(at.path('no'));
    expect(await run(['resume', '-y', '-e', 'others=dead'])).toMatchObject({ exitCode: 3 });
    expect(await run(WAIVE)).toMatchObject({ exitCode: 1 });
    expect(await waivedAt('root')).toEqual(['waives others_first, not approved: awaits 2 approvals']);

    for (const [args, message] of [
      [['2020'], 'unknown run 2020 in '],
      [[id, 'change.plan'], 'approve takes one plan, which plan -o wrote, or one run that waived a requirement'],
      [[id, '--expires', '2d'], '--expires is for plans: the approval of a waiver does not expire'],
      [[id], 'a confirmation is needed and there is no terminal; use -y'],
    ] as const) {
      const refused = await by('daemon', 'approve', ...args);
      expect([refused?.exitCode, refused?.stderr]).toEqual([2, expect.stringContaining(message)]);
    }
    const own = await by('root', 'approve', id, '-y');
    expect([own?.exitCode, own?.stderr]).toEqual([
      3,
      expect.stringMatching(/\nrunbook: this was waived by root@\S+, who cannot approve it\n {2}another person/),
    ]);
    const store = await openStore();
    const runs = runsOf(at.path('inventory.yaml'));
    const controller = thisHolder('resume', runs.inventory, Date.now());
    expect(await store.lock(lockName(runs), controller)).toEqual({ is: 'held' });
    const lines = await store.read(id, 0);
    const first = await by('daemon', 'approve', id.slice(0, 12), '-y');
    expect([first?.exitCode, first?.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^Approved by daemon@\S+\.\n.* approved by daemon@\S+ \(.* UTC\), awaits 1 more approval · /,
      ),
    ]);
    expect(await store.read(id, 0)).toEqual(lines);
    await store.release(lockName(runs), controller);
    await store.close();
    const again = await by('daemon', 'approve', id, '-y');
    expect([again?.exitCode, again?.stderr]).toEqual([3, expect.stringContaining(' has already approved this')]);
    expect((await by('bin', 'approve', id, '--show'))?.stdout).toMatch(
      /^Run \S+\n.* resume {2}root@\S+ · waives others_first, approved by daemon@\S+ \(.* UTC\), awaits 1 more approval · CHG-2$/,
    );

    // The same is waived once more, which is another decision.
    expect(await run(WAIVE)).toMatchObject({ exitCode: 1 });
    expect(await run(['close', '-y'])).toMatchObject({ exitCode: 0 });
    const whole = 'waives others_first, approved by daemon, bin';
    expect((await by('bin', 'approve', id, '-y'))?.exitCode).toBe(0);
    for (const person of ['root', 'daemon', 'bin'] as const)
      expect(await waivedAt(person)).toEqual([whole, 'waives others_first, approved by bin, awaits 1 more approval']);
    expect((await by('daemon', 'approve', id, '-y'))?.exitCode).toBe(0);
    const enough = await by('daemon', 'approve', id, '-y');
    expect([enough?.exitCode, enough?.stderr]).toEqual([3, expect.stringContaining('is already approved')]);
    expect((await by('root', 'report', '--format', 'md'))?.stdout).toMatch(
      /Waived.*approved by daemon@.*CHG-2; waives/,
    );
    // Without the store a machine shows what it had.
    const away = await at.run(['show'], { env: { ...env, RUNBOOK_STORE: 'nats://localhost:1/away' } });
    expect(away.stdout).toContain('approved by bin@');
  });
});

test('a playbook is not applied, a dry run is made', async () => {
  const refused = await run(['apply', 'test.yaml', '-y']);
  expect([refused.exitCode, refused.stderr]).toEqual([
    3,
    [
      'runbook: inventory.yaml asks for 2 approvals: a plan is applied, not a playbook',
      '  runbook plan test.yaml -o change.plan   with the options of this command',
      '  runbook approve change.plan   by 2 other persons',
      '  runbook apply change.plan',
    ].join('\n'),
  ]);
  const dry = await run(['apply', 'test.yaml', '--dry-run']);
  expect([dry.exitCode, dry.stdout]).toEqual([0, expect.stringContaining('To apply:  plan again with -o FILE')]);
  expect(made()).toBe(false);
});

test('an approval of a plan that was changed, of another plan, or that expired does not count', async () => {
  await plan();
  for (const by of ['daemon', 'bin'] as const) expect((await approve(by)).exitCode).toBe(0);
  const text = at.read('change.plan');
  const apply = () => run(['apply', 'change.plan', '-y']);
  at.write('change.plan', text.replace('Try', 'Tri'));
  expect([await apply(), made()]).toEqual([expect.objectContaining({ exitCode: 2 }), false]);
  const other = { ...(unseal(Buffer.from(text)) as JsonObject), page: 'Nothing to do.' };
  at.write('change.plan', seal(JSON.stringify(other)));
  expect((await apply()).stderr).toContain('has 0 of 2 approvals');
  const expired = Date.now() - 1;
  const opened = await openStore();
  for (const by of ['kim@ctl-1', 'lee@ctl-2'])
    await addApproval(opened, { plan: sha256(at.read('change.plan')), by, atMs: expired - 60_000, untilMs: expired });
  await opened.close();
  expect((await apply()).stderr).toContain('has 0 of 2 approvals');
  expect((await run(['approve', 'change.plan', '--show'])).stdout).toMatch(/kim@ctl-1 {2}expired .* UTC\n/);
  at.write('change.plan', text);
  expect([await apply(), made()]).toEqual([expect.objectContaining({ exitCode: 0 }), true]);
});

test.each([
  [['--expires', '1s'], '--expires takes 1m to 30d, not "1s"'],
  [['--expires', '31d'], '--expires takes 1m to 30d, not "31d"'],
  [['--expires', 'soon'], '--expires: "soon" is not a duration; use 24h'],
  [[], 'a confirmation is needed and there is no terminal; use -y'],
])('an approval that is not given: %j', async (args, message) => {
  await plan();
  const refused = await run(['approve', 'change.plan', ...args], 'daemon');
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining(message)]);
  expect((await run(['approve', 'change.plan', '--show'])).stdout).toMatch(/\nApprovals: none$/);
});

test('an inventory that asks for fewer approvals than the planned one is another inventory', async () => {
  await plan();
  at.write('inventory.yaml', at.read('inventory.yaml').replace('approvals: 2\n', ''));
  const refused = await run(['apply', 'change.plan', '-y']);
  expect([refused.exitCode, refused.stderr]).toEqual([3, expect.stringContaining('changed since change.plan')]);
});

test('a step that was not approved is not applied, also where it is allowed by name', async () => {
  await plan();
  for (const by of ['daemon', 'bin'] as const) expect((await approve(by)).exitCode).toBe(0);
  const allowed = await run(['apply', 'change.plan', '-y', '--allow', 'one']);
  expect([allowed.exitCode, allowed.stderr, made()]).toEqual([
    3,
    'runbook: --allow would apply a step that was not approved\n  plan again, and have that plan approved',
    false,
  ]);
});

test('what helps after a failure needs no approval', async () => {
  at.write('test.yaml', onePlay(touch('one', 'one') + touch('two', 'missing/two')));
  await plan();
  for (const by of ['daemon', 'bin'] as const) expect((await approve(by)).exitCode).toBe(0);
  expect(await run(['apply', 'change.plan', '-y'])).toMatchObject({ exitCode: 1 });
  expect(await run(['resume', '-y'])).toMatchObject({ exitCode: 1 });
  expect(await run(['close', '-y'])).toMatchObject({ exitCode: 0 });
});

test('without a store, approvals are a mistake of the inventory', async () => {
  for (const args of [['validate', 'test.yaml'], PLAN, ['apply', 'test.yaml', '-y']]) {
    const refused = await run(args, 'root', { RUNBOOK_STORE: '' });
    expect([refused.exitCode, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/^inventory\.yaml:1:12 {2}approvals need a store, and none is configured\n/),
    ]);
  }
  await plan();
  const none = await run(['approve', 'change.plan', '-y'], 'daemon', { RUNBOOK_STORE: '' });
  expect([none.exitCode, none.stderr]).toEqual([
    2,
    expect.stringMatching(/^runbook: approvals need a store, and none is configured\n {2}store: nats:/),
  ]);
});
