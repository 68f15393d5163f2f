import { foldAll } from '../../engine/journal/fold.js';
import { nextAfterFailure, type InUse } from '../../engine/report/end/next-commands.js';
import { describe, expect, test } from '@jest/globals';
import { countsOf } from '../../engine/report/counts.js';
import { endView } from '../../engine/report/end/end-view.js';
import { packagesPut } from '../../engine/report/plan/packages-put.js';
import { ndjsonLine } from '../../engine/report/ndjson.js';
import { planView } from '../../engine/report/plan/plan-view.js';
import { styleFor } from '../../engine/report/style.js';
import { tally } from '../../engine/report/tally.js';
import { content } from '../../engine/facts/file.js';
import { need } from '../../engine/terms/fact.js';
import type { Event } from '../../engine/terms/event.js';
import { change, ended, intent, on, play, record, settled, started, would } from './story.js';

const TERMINAL = { color: false, width: 100 };
const PLAN = { ...TERMINAL, diff: false, verbose: false };
const stop = (host: string) => on(host, 'up/Nodes/Stop the node');
const upgrade = (host: string) => on(host, 'up/Nodes/Upgrade the package');

const NODES: readonly Event[] = [
  { e: 'from', host: 'node-1', versions: { indexer: '4.12.0-1', shipper: '7.10.2-1' } },
  { e: 'from', host: 'node-2', versions: { indexer: '4.12.0-1', shipper: null } },
  { e: 'play-skipped', play: 'up/Look', name: 'Look', within: ['Prepare'], because: 'all is at 4.14.7' },
  play('up/Check', ['node-1'], { within: ['Prepare'], spec: '9.1' }),
  settled(on('node-1', 'up/Check/Fits'), 'ok', { reason: 'it fits' }),
  play('up/Nodes', ['node-1', 'node-2'], { within: ['Indexer'], serial: true, spec: '9.4.5' }),
  { e: 'host-chosen', play: 'up/Nodes', host: 'node-2' },
  would(stop('node-2'), change('node stops', { sign: '↻' }), '9.4.5'),
  would(
    upgrade('node-2'),
    change('platform-indexer 4.12.0-1 → 4.14.7-1', { diff: '--- a\n+++ a\n@@ -1 +1 @@\n-old\n+new\n' }),
  ),
  {
    e: 'undecided',
    task: on('node-2', 'up/Nodes/Settings'),
    name: 'Settings',
    because: 'what the package brings',
    dependsOn: [],
    touches: [],
  },
  { e: 'host-chosen', play: 'up/Nodes', host: 'node-1' },
  would(stop('node-1'), change('node stops', { sign: '↻' }), '9.4.5'),
];

test('a plan names the point of no return of a play', () => {
  const nodes = NODES.map((event) =>
    event.e === 'play-started' ? { ...event, pointOfNoReturn: 'an agent that is newer is not accepted' } : event,
  );
  const view = planView(record([started({ verb: 'plan' }), ...nodes, ended('done')]), PLAN);
  expect(view).toContain('Indexer / Nodes  §9.4.5\n   Point of no return: an agent that is newer is not accepted\n');
});

test('a plan: its heading, plays, hosts in the order taken, each kind of line, and what it comes to', () => {
  const view = planView(
    record([
      started({ verb: 'plan', ownReleases: ['shipper'] }),
      ...NODES,
      {
        e: 'checked',
        task: on('node-1', 'up/Nodes/Wait'),
        name: 'Wait',
        verdict: 'waiting',
        because: 'health is yellow',
      },
      {
        e: 'temporary-made',
        task: stop('node-1'),
        name: 'Stop',
        restoredBy: { module: 'file', args: {}, on: { host: 'node-1' } },
        restoring: {},
      },
      ended('done'),
    ]),
    PLAN,
  );
  expect(view).toBe(`Upgrade   5 hosts · from 4.12.0 to 4.14.7 · plan 7f3a9c2e

 Prepare / Look   skipped: all is at 4.14.7
 Prepare  Check: nothing to do
 Indexer / Nodes  §9.4.5
   one host at a time: node-2, node-1
   node-2, node-1
     ↻ node stops  Stop the node §9.4.5
   node-2
     ~ platform-indexer 4.12.0-1 → 4.14.7-1  Upgrade the package
         --- a
         +++ a
         @@ -1 +1 @@
         -old
         +new
     ? Settings: known after apply: what the package brings
   node-1
     … Wait (now: health is yellow)

 3 will change   1 unchanged   1 known after apply   1 to wait for
 1 temporary change, restored at the end`);
});

test('hosts with the same lines are shown together, and many by the first of them', () => {
  const hosts = Array.from({ length: 200 }, (_, i) => `web-${String(i + 1).padStart(3, '0')}`);
  // They answer in any order.
  const checks = hosts
    .toReversed()
    .map((host) => would(on(host, 'up/Agents/Upgrade'), change('agent 4.12.0 → 4.14.7')));
  const view = planView(record([started(), play('up/Agents', hosts), ...checks, ended('done')]), PLAN);
  expect(view).toContain(
    ' Agents\n   web-001, web-002, web-003, web-004, web-005 and 195 more\n     ~ agent 4.12.0 → 4.14.7  Upgrade\n',
  );
  expect(view).toMatch(/ 200 will change$/);
});

test('a step that only one host has stands where that host does it', () => {
  const step = (host: string, name: string) => would(on(host, `up/Play/${name}`), change(name));
  const events = record([
    started(),
    play('up/Play', ['a', 'b']),
    ...['One', 'Three'].map((name) => step('a', name)),
    ...['One', 'Two', 'Three', 'Four'].map((name) => step('b', name)),
    ended('done'),
  ]);
  expect(planView(events, PLAN)).toContain(` Play
   a, b
     ~ One  One
   b
     ~ Two  Two
   a, b
     ~ Three  Three
   b
     ~ Four  Four
`);
});

test('bookkeeping is a line, and all of it with --diff; a play of nothing else is shown', () => {
  const record1 = (play: string) => would(on('a', `up/${play}/Record`), change('/pending', { bookkeeping: true }));
  const events = record([
    started(),
    play('up/Nodes', ['a']),
    record1('Nodes'),
    would(on('a', 'up/Nodes/Stop'), change('node stops')),
    play('up/Records', ['a']),
    record1('Records'),
    ended('done'),
  ]);
  const nodes = ' Nodes\n   a\n     ~ node stops  Stop\n   bookkeeping: 1 step (--diff shows them)\n';
  expect(planView(events, PLAN)).toContain(`${nodes}\n Records\n   a\n     ~ /pending  Record\n`);
  expect(planView(events, { ...PLAN, diff: true })).not.toContain('bookkeeping');
});

test('plays with nothing to do that follow each other share a line', () => {
  const idle = (name: string, phase: string): readonly Event[] => [
    play(`up/${name}`, ['a'], { within: [phase] }),
    settled(on('a', `up/${name}/Fits`), 'ok', { reason: 'it fits' }),
  ];
  const events = record([
    started(),
    ...[...idle('One', 'First'), ...idle('Two', 'First'), ...idle('Three', 'Second')],
    ended('done'),
  ]);
  expect(planView(events, PLAN)).toContain(' First  One · Two: nothing to do\n Second  Three: nothing to do\n');
});

test('a long diff is cut, and told in full on request', () => {
  const diff = `--- a\n+++ a\n${Array.from({ length: 30 }, (_, i) => `+line ${i}`).join('\n')}\n`;
  const events = record([
    started(),
    play('up/Play', ['a']),
    would(on('a', 'up/Play/Write'), change('x', { diff })),
    ended('done'),
  ]);
  expect(planView(events, PLAN)).toContain('+line 9\n         … 20 more lines (--diff)\n');
  expect(planView(events, { ...PLAN, diff: true })).toContain('+line 29\n');
});

test('a plan that could not reach a host is no plan to apply, unless the run can do without it', () => {
  const events = (last: Partial<Extract<Event, { e: 'run-ended' }>>) =>
    record([started(), { e: 'host-lost', host: 'a', reason: 'no route' }, ended('unreachable', last)]);
  const refused =
    'Refused: the plan is not complete, see above. Nothing was changed. Connect what did not answer, then plan again.';
  expect(planView(events({}), PLAN)).toContain(` ✗ a: no route\n ${refused}`);
  expect(planView(events({ throughout: true }), PLAN)).not.toContain('Refused');
});

describe('what was done, in the words of the plan, with what differed from it', () => {
  const path = '/etc/x.conf';
  const differs = [
    {
      ref: need({ host: 'a' }, content, path),
      predicted: { text: 'one\ntwo\n', mode: '0644' },
      observed: { text: 'one\n2\n', mode: '0644' },
    },
    {
      ref: { of: { host: 'a' }, fact: 'service', key: 'filebeat' },
      predicted: { active: true, pid: 1 },
      observed: { active: false, pid: 1 },
    },
  ];
  const task = on('a', 'up/Play/Write');
  const done = (observed: readonly Event[]) =>
    record([
      started(),
      play('up/Play', ['a']),
      intent(task, change(path, { diff: '-hidden\n+unless asked\n' })),
      ...observed,
      settled(task, 'done'),
      ended('done'),
    ]);

  test('differences stand under their step', () => {
    const view = planView(done([{ e: 'observed', task, differs }]), { ...PLAN, past: true });
    expect(view).toContain(`     ~ /etc/x.conf  Write
         ≠ content ${differs[0]?.ref.key ?? ''} (host:a): - predicted, + found
           @@ -1,2 +1,2 @@
            one
           -two
           +2
         ≠ service filebeat (host:a): active predicted true, found false
`);
    expect(view).not.toContain('hidden');
  });

  test('diffs on request', () =>
    expect(planView(done([]), { ...PLAN, past: true, diff: true })).toContain('+unless asked'));
});

describe('the end', () => {
  test('of a run that failed: the step, its section, the reason, the hint, what is untouched, what is not restored yet, and what to type', () => {
    const view = endView(
      record([
        started(),
        play('up/Nodes', ['node-1'], { within: ['Indexer'] }),
        {
          e: 'temporary-made',
          task: on('server-1', 'up/Ship/Stop the shipper'),
          name: 'Stop the shipper',
          restoredBy: { module: 'file', args: {}, on: { host: 'node-1' } },
          restoring: {},
        },
        intent(upgrade('node-2'), change('package')),
        settled(upgrade('node-2'), 'done'),
        settled(on('node-2', 'up/Nodes/Start the indexer'), 'failed', {
          spec: '9.4.5',
          changed: true,
          reason: 'platform-indexer did not become active within 180 s\nlast words',
          hint: { look: 'journalctl -u platform-indexer' },
        }),
        ended('failed', {
          reason: 'node-2 failed in "Nodes"',
          untouched: ['Indexer / Restore', 'Server / A', 'Server / B', 'Agents / C'],
          untouchedOn: {
            'Indexer / Restore': ['node-1'],
            'Server / A': ['server-1'],
            'Server / B': ['server-1', 'server-2'],
          },
          notRestored: [
            { task: on('server-1', 'up/Ship/Stop the shipper'), name: 'Stop the shipper', restoring: {} },
            { task: on('server-2', 'up/Ship/Stop the shipper'), name: 'Stop the shipper', restoring: {} },
            {
              task: { step: 'up/P/Let only primaries move', on: { host: 'node-1' } },
              name: 'Let only primaries move',
              restoring: {},
            },
          ],
        }),
      ]),
      { ...TERMINAL, folder: '/runs/x', ways: { where: ' -i lab.yaml', backTo: ['4.12.0'] } },
    );
    expect(view).toBe(`✗ node-2  Start the indexer   §9.4.5
  platform-indexer did not become active within 180 s
  last words
  see journalctl -u platform-indexer

journal and log: /runs/x

Not started: Indexer: Restore (node-1) · Server (server-1, server-2) · Agents
Temporary changes in effect: Stop the shipper (server-1, server-2) ·
                             Let only primaries move (node-1)
Stopped: node-2 failed in "Nodes". 1 changed, 1 failed in 6 s.
FAILED    Start the indexer on node-2  §9.4.5  at 22:00 UTC
CAUSE     platform-indexer did not become active within 180 s
LOOK      on node-2: journalctl -u platform-indexer
RUN       2026-11-21T22-00-00Z · plan 7f3a9c2e
NEXT      1  runbook resume -i lab.yaml     fix the cause first
          2  runbook rollback -i lab.yaml   to 4.12.0; shows its plan and asks first
          3  runbook close -i lab.yaml      final: no resume; restores temporary changes`);
  });

  test('of a run that is done and worse than before: each on a line of its own, and how to compare again', () => {
    const rows = [
      { name: 'Agents active', values: [3, 0], tolerance: '5%', isWorse: true },
      { name: 'Own rules loaded', values: [14, 13], tolerance: '0%', isWorse: true },
      {
        name: 'Own decoders loaded',
        values: [6, null],
        because: 'no answer\nlog',
        ...{ tolerance: '0%', isWorse: false, isUnread: true as const },
      },
    ];
    const options = { ...TERMINAL, worse: rows, ways: { where: ' -i lab.yaml', backTo: [] } };
    expect(endView(record([started(), ended('done')]), options)).toMatch(
      new RegExp(
        String.raw`^✓ .*: done in .*
WORSE THAN BEFORE  Agents active 3 → 0 · Own rules loaded 14 → 13
NOT READ  Own decoders loaded: no answer
To compare again: runbook verify -i lab\.yaml$`,
      ),
    );
  });

  test('of a refusal: why, and that nothing was changed; nothing to resume', () => {
    const view = endView(
      record([
        started(),
        play('up/Check', ['a']),
        settled(on('a', 'up/Check/Fits'), 'blocked', { reason: 'too old', hint: 'upgrade first' }),
        ended('refused', { untouched: ['Rest'] }),
      ]),
      TERMINAL,
    );
    expect(view).toBe('✗ a  Fits\n  too old\n  upgrade first\n\nRefused. Nothing was changed.');
  });

  test('nor when it recorded something before: the run is closed, and a resume would be that of an older one', () => {
    const view = endView(
      record([
        started(),
        play('up/Check', ['a']),
        settled(on('a', 'up/Check/Record'), 'done'),
        settled(on('a', 'up/Check/Fits'), 'blocked', { reason: 'too old' }),
        ended('refused', { untouched: ['Rest'] }),
      ]),
      TERMINAL,
    );
    expect(view).toBe('✗ a  Fits\n  too old\n\nRefused. Nothing was changed.');
  });

  test('the same failure on many hosts is reported once', () => {
    const hosts = Array.from({ length: 40 }, (_, i) => `web-${i}`);
    const failures = hosts.map((h) => settled(on(h, 'up/P/Reach'), 'failed', { reason: 'no' }));
    const view = endView(record([started(), play('up/P', hosts), ...failures, ended('failed')]), TERMINAL);
    expect(view).toContain('✗ web-0, web-1, web-2, web-3, web-4 and 35 more  Reach\n  no\n');
    expect(view.match(/✗/g)).toHaveLength(1);
  });

  test('of a host that was lost: that, once; after a resume that found it again, not any more', () => {
    const lost: readonly Event[] = [
      started(),
      { e: 'host-lost', host: 'a', reason: 'no route', hint: 'is it on?' },
      ended('unreachable', { reason: 'a: not reachable' }),
    ];
    expect(endView(record(lost), TERMINAL)).toBe(
      '✗ a  unreachable\n  no route\n  is it on?\n\nStopped: a: not reachable. Nothing was changed.',
    );
    expect(endView(record([...lost, started({ verb: 'resume' }), ended('done')]), TERMINAL)).toBe(
      '✓ Upgrade: done in 3 s of work within 4 s',
    );
  });

  test('hosts that were lost for the same reason are one entry, whatever their address', () => {
    const lost = ['10.0.0.1', '10.0.0.2', 'fe80::3'].map((address, i): Event => {
      const at = address.includes(':') ? `[${address}]` : address;
      return { e: 'host-lost', host: `web-${i}`, address, reason: `${at}:22 cannot be reached (no route)` };
    });
    const other: Event = { e: 'host-lost', host: 'a', address: 'a', reason: 'a:22 cannot be reached (refused)' };
    const view = endView(record([started(), ...lost, other, ended('unreachable')]), TERMINAL);
    expect(view).toContain(
      '✗ web-0, web-1, web-2  unreachable\n  port 22 cannot be reached (no route)\n✗ a  unreachable\n  a:22 cannot be reached (refused)\n',
    );
  });

  test('of a run with something worth telling: once for all hosts, and counted in its last line', () => {
    const tell = (host: string, text: string): Event => ({
      e: 'warned',
      task: on(host, 'up/P/Agents'),
      text,
      spec: '9.7',
    });
    const events = record([
      started(),
      play('up/P', ['a', 'b']),
      tell('a', '3 of 10 agents are below 4.14.7'),
      settled(on('a', 'up/P/Agents'), 'ok', { reason: '7 agents at 4.14.7' }),
      tell('a', 'one is not active'),
      tell('b', 'one is not active'),
      ended('done'),
    ]);
    expect(endView(events, TERMINAL)).toBe(`! a  3 of 10 agents are below 4.14.7  §9.7
! a, b  one is not active  §9.7
✓ Upgrade: done in 6 s, with 2 warnings`);
    const view = planView(events, PLAN);
    expect(view).toContain('     = Agents: 7 agents at 4.14.7\n         ! 3 of 10 agents are below 4.14.7\n');
    expect(view).toMatch(/ 2 warnings \(!\)$/);
  });

  test('of a run that went through without some hosts: how many, and that a resume does the same on them', () => {
    const view = endView(
      record([
        started(),
        { e: 'host-lost', host: 'web-7', reason: 'no route', leftOut: true },
        play('up/P', ['a', 'b']),
        intent(on('a', 'up/P/S'), change('/x')),
        settled(on('a', 'up/P/S'), 'done'),
        settled(on('b', 'up/P/S'), 'failed', { reason: 'no' }),
        ended('failed', { reason: 'b failed in "P"', throughout: true }),
      ]),
      TERMINAL,
    );
    expect(view).toBe(`✗ b  S
  no
✗ web-7  unreachable, left out
  no route

Completed with failures (failed: 1, unreachable: 1): b failed in "P". 1 changed, 1 failed in 6 s.
FAILED    S on b  at 22:00 UTC
CAUSE     no
RUN       2026-11-21T22-00-00Z · plan 7f3a9c2e
NEXT      1  runbook resume   repeat on these hosts
          2  runbook close    final: no resume; changes nothing`);
  });

  test('a question that was answered is no change; what was restored since was one', () => {
    const ask = change('go on?', { sign: '?', actions: [{ do: 'ask', question: 'go on?' }] });
    const events = record([
      started(),
      intent(on('a', 'up/P/Ask'), ask),
      settled(on('a', 'up/P/Ask'), 'done'),
      intent(on('a', 'up/P/Stop'), change('stops')),
      settled(on('a', 'up/P/Stop'), 'done'),
      { e: 'temporary-restoring', task: on('a', 'up/P/Stop'), again: true },
      settled(on('a', 'up/P/Record'), 'done'),
      ended('failed'),
    ]);
    expect(countsOf(tally(events))).toMatchObject({ changed: 2, asked: 1 });
  });

  test('of a run whose controller died', () => {
    expect(endView(record([started()]), TERMINAL)).toContain(
      'Run interrupted: the controller process ended after 22:00:00 UTC. 0 changed.\nNext for the run 2026-11-21T22-00-00Z, recommended first:\n  runbook resume',
    );
  });

  test('of a run whose controller died: a temporary change that was restored before is not counted as in place', () => {
    const made = (step: string): Event => ({
      e: 'temporary-made',
      task: on('a', `up/P/${step}`),
      name: step,
      restoredBy: { module: 'file', args: {}, on: { host: 'node-1' } },
      restoring: {},
    });
    const events = record([
      started(),
      play('up/P', ['a']),
      made('Stop one'),
      made('Stop two'),
      { e: 'temporary-restored', task: on('a', 'up/P/Stop one'), by: 'step' },
    ]);
    expect(planView(events, { ...PLAN, past: true })).toContain(' 2 temporary changes, 1 not restored yet');
    expect(endView(events, TERMINAL)).toContain('Temporary changes in effect: Stop two (a)\n');
  });
});

test('what hosts say cannot steer the terminal, nor begin a line of its own', () => {
  const evil = '\u001b[2J\u0007\r\u009b31m\u202egnp\n✓ a  all is well';
  const events = record([
    started({ playbook: `P${evil}` }),
    play('up/P', ['a']),
    intent(on('a', 'up/P/S'), change(evil, { diff: `-${evil}\n` })),
    settled(on('a', 'up/P/S'), 'failed', { reason: evil, hint: evil }),
    { e: 'host-lost', host: 'a', reason: evil },
    ended('failed', { reason: evil }),
  ]);
  const views = [
    planView(events, { ...PLAN, past: true, diff: true }),
    planView(events, { ...PLAN, verbose: true }),
    endView(events, TERMINAL),
    ...events.map(ndjsonLine),
  ].join('\n');
  // eslint-disable-next-line no-control-regex -- what must not be there
  expect(views).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
  expect(views).not.toMatch(/^✓/m);
});

test('colours only where they are wanted', () => {
  expect(styleFor({ color: true }).red('x')).toBe('\u001b[31mx\u001b[39m');
  expect(styleFor({ color: false }).red('x')).toBe('x');
});

test('what to type after a failure keeps several words on a line of a narrow terminal', () => {
  const lines = nextAfterFailure(foldAll([]), { where: '', backTo: ['4.12.0'] }, { label: 10, width: 20 });
  expect(lines).toEqual([
    'NEXT      1  runbook resume     continue from this step',
    '          2  runbook rollback   to 4.12.0; shows its plan and',
    '                                asks first',
    '          3  runbook close      final: no resume; changes',
    '                                nothing',
  ]);
});

test('the end of a lock does not make an installed package one that is not known to be', () => {
  const ref = { of: { host: 'a' }, fact: 'package', key: 'web' };
  const predicts = [{ ref, value: { installed: '2' } }];
  const install = {
    ...intent(on('a', 'up/Install'), change('web 1 → 2', { predicts })),
    marks: { before: { installed: '1' } },
  };
  const unlock = intent(on('a', 'up/Lock (restored)'), change('web no longer held', { predicts }));
  const past = record([started(), install, settled(on('a', 'up/Install'), 'done'), unlock]);
  expect(
    packagesPut(past, { from: new Map([['a', { web: '1' }]]) })
      .get('a')
      ?.get('web'),
  ).toEqual({
    ...{ version: '2', from: '1', finished: true },
  });
});

describe('a run on which a process works', () => {
  const events = record([
    started(),
    play('up/Nodes', ['node-1']),
    intent(stop('node-1'), change('node stops', { sign: '↻' })),
  ]);
  const end = (more: Partial<InUse>): readonly string[] => {
    const lines = endView(events, { ...TERMINAL, inUse: { by: 'In use now by …', ...more } }).split('\n');
    return [lines[0] ?? '', ...lines.filter((line) => line.includes('runbook ')).map((line) => line.trim())];
  };
  const FOLLOW = ['runbook attach   follow it', 'runbook stop     stop it at its next safe point'];

  test.each([
    ['on this machine', {}, 'Run in progress. 0 changed, 1 step not finished. In use now by …', FOLLOW],
    [
      'on another one, that was heard of lately',
      { silentMs: 20_000 },
      'Run in progress. 0 changed, 1 step not finished. In use now by …',
      [
        'runbook attach   follow it',
        'runbook stop     stop it at its next safe point',
        'runbook unlock   remove the lock of a process that has ended there',
      ],
    ],
    [
      'on another one, in silence',
      { silentMs: 420_000, takeOver: true as const },
      'No record for 7 min: not known whether it works. 0 changed, 1 step not finished. In use now by …',
      [
        'runbook attach               follow it',
        'runbook stop                 stop it at its next safe point',
        'runbook resume --take-over   take it from that process, which can then do no more',
      ],
    ],
  ])('%s', (_, more, headline, commands) => {
    expect(end(more)).toEqual([headline, ...commands]);
  });
});
