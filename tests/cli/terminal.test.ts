import { afterEach, describe, expect, test } from '@jest/globals';
import { chmodSync, existsSync } from 'node:fs';
import { localHarness, modelHarness, MODEL_SECRETS, onePlay, touch, type Harness } from './cli-harness.js';
import { hasScript, showMeanwhile, sit } from './sit.js';

let harness: Harness | undefined;
const open = (made: Harness): Harness => (harness = made);
afterEach(() => {
  harness?.end();
  harness = undefined;
});

const TWO = onePlay(`${touch('one', 'one')}${touch('two', 'two')}`);
const GREEN = '\u001b[32m';

(hasScript ? describe : describe.skip)('at a terminal', () => {
  test('apply asks whether to begin; a no changes nothing, exit 3', async () => {
    const at = open(localHarness(TWO));
    const no = await sit(at, ['apply', 'test.yaml'], [[/Start the run\? \[y\/N\]/, 'no']]);
    expect([no.exitCode, existsSync(at.path('one')), at.runs()]).toEqual([3, false, []]);
    expect(no.shown).toContain('Nothing was changed.');
    const yes = await sit(at, ['apply', 'test.yaml'], [[/Start the run\? \[y\/N\]/, 'y']]);
    expect([yes.exitCode, existsSync(at.path('two'))]).toEqual([0, true]);
  });

  test('progress in colours, and nothing of the region is left at the end', async () => {
    const at = open(localHarness(TWO));
    const { received, shown } = await sit(at, ['apply', 'test.yaml', '-y']);
    expect(received).toContain('▕');
    expect(received).toContain(GREEN);
    expect(shown).not.toContain('▕');
    const all = shown.split('\n');
    expect(all.some((line) => line.startsWith('STEPS     2 will change · '))).toBe(true);
    const lines = all.slice(all.indexOf('Work'));
    expect(lines.slice(1, 5).map((l) => l.replace(/ {2}\d+ m?s$/, ''))).toEqual(
      [`  ~ a  one: touch ${at.path('one')}`, '  ✓ a  one', `  ~ a  two: touch ${at.path('two')}`, '  ✓ a  two'].map(
        (l) => l.replace('  ~', lines[1]?.slice(0, 3) ?? ''),
      ),
    );
    expect(lines.at(-2)).toMatch(/^✓ Try: done in /);
  });

  test.each([
    ['NO_COLOR', { NO_COLOR: '1' }],
    ['a dumb terminal', { TERM: 'dumb' }],
  ])('%s: no colours', async (_why, env) => {
    const { received } = await sit(open(localHarness(TWO)), ['apply', 'test.yaml', '-y'], [], env);
    // eslint-disable-next-line no-control-regex -- colours
    expect(received).not.toMatch(/\u001b\[3\dm/);
  });

  test('a secret that is prompted for is asked once, not shown, and not kept', async () => {
    const steps = ['x', 'y']
      .map(
        (n) =>
          `      - step: ${n}\n        file: { path: "@/${n}", state: file, mode: "0600", content: "{{secret.db}}" }\n`,
      )
      .join('');
    const at = open(localHarness(onePlay(steps), '{ db: { prompt: The database password } }'));
    const { exitCode, received } = await sit(
      at,
      ['apply', 'test.yaml', '-y', '-D', '-vvv'],
      [[/The database password/, 'hush-hush-42']],
    );
    expect([exitCode, at.read('x'), at.read('y')]).toEqual([0, 'hush-hush-42', 'hush-hush-42']);
    expect(received.match(/The database password/g)).toHaveLength(1);
    expect(`${received}${at.everythingOf(at.runs()[0] ?? '')}`).not.toContain('hush-hush-42');
  });

  test('a secret that an earlier part of the run was told is asked for again by a resume, before anything is shown', async () => {
    const playbook = onePlay(
      `      - step: put\n        file: { path: "@/x", state: file, mode: "0600", content: "{{secret.db}}" }\n      - step: tell\n        command: { argv: [sh, -c, "cat @/x >&2; test -e @/fixed"], changes: everything, timeout: 10s }\n`,
    );
    const at = open(localHarness(playbook, '{ db: { prompt: The database password } }'));
    const asked = [[/The database password/, 'hush-hush-42']] as const;
    const failed = await sit(at, ['apply', 'test.yaml', '-y', '-vvv'], asked);
    const slip = [/The database password/, 'hush-hush-24'] as const;
    const resumed = await sit(
      at,
      ['resume', '-y', '-vvv'],
      [slip, [/not what was typed before.*password/, 'hush-hush-42']],
    );
    expect([failed.exitCode, failed.unasked, resumed.exitCode, resumed.unasked]).toEqual([1, 0, 1, 0]);
    // Its host prints it, though no step that is left mentions it.
    expect(resumed.received).toContain('{{secret.db}}');
    expect(`${resumed.received}${at.everythingOf(at.runs()[0] ?? '')}`).not.toContain('hush-hush-42');
  });

  test('a rollback asks for a secret once, for its plan and its run', async () => {
    const at = open(
      modelHarness('{ from: 4.12.0 }', (inventory) =>
        inventory.replace('{ env: RUNBOOK_DEMO_INDEXER_PASSWORD }', '{ prompt: The password of the indexer }'),
      ),
    );
    const answers = [
      [/The password of the indexer/, MODEL_SECRETS.RUNBOOK_DEMO_INDEXER_PASSWORD],
      [/Roll back as planned above\? \[y\/N\]/, 'yes'],
    ] as const;
    const back = await sit(at, ['rollback', '--to', '4.12.0'], answers, MODEL_SECRETS);
    expect([back.exitCode, back.unasked]).toEqual([0, 0]);
    expect(back.received.match(/The password of the indexer/g)).toHaveLength(1);
  });

  test('a text of a host that looks like a reference has no secret asked for by a resume', async () => {
    const playbook = onePlay(
      `      - step: edit\n        file-edit: { path: "@/conf", lines: [{ line: "added = 1" }] }\n      - step: stop here once\n        command: { argv: [test, -e, "@/go"], changes: everything, repeatable: true, timeout: 10s }\n`,
    );
    const at = open(localHarness(playbook, '{ db: { prompt: The database password } }'));
    at.write('conf', '# {{secret.db}}\n');
    const failed = await sit(at, ['apply', 'test.yaml', '-y']);
    at.write('go', '');
    const resumed = await sit(at, ['resume', '-y'], [[/The database password/, 'hush-hush-42']]);
    expect([failed.exitCode, resumed.exitCode, resumed.unasked]).toEqual([1, 0, 1]);
    expect(at.read('conf')).toBe('# {{secret.db}}\nadded = 1\n');
  });

  describe('-K', () => {
    /** A sudo that takes one password, and lets whoever knows it do anything. */
    const SUDO = `#!/bin/sh
prompt=
while [ "$1" != -- ]; do
  case $1 in -p) prompt=$2; shift 2 ;; -u) shift 2 ;; -n) echo 'sudo: a password is required' >&2; exit 1 ;; *) shift ;; esac
done
shift
for n in 1 2; do
  printf %s "$prompt" >&2
  read -r given || exit 1
  [ "$given" = 'open sesame' ] && exec "$@"
done
exit 1
`;
    const keptHost = (): Harness => {
      const at = open(localHarness(onePlay(touch('one', 'one'), '')));
      at.write(
        'inventory.yaml',
        'platform: {}\nendpoints: {}\nsecrets: {}\nssh: { become: sudo, become_user: keeper }\nhosts:\n  a: { address: 127.0.0.1, machine: local }\n',
      );
      at.write('sudo', SUDO);
      chmodSync(at.path('sudo'), 0o755);
      return at;
    };
    const path = (at: Harness): Record<string, string> => ({ PATH: `${at.folder}:${process.env['PATH'] ?? ''}` });

    test('asks for the password of sudo once, and neither shows nor keeps it', async () => {
      const at = keptHost();
      const { exitCode, received } = await sit(
        at,
        ['apply', 'test.yaml', '-y', '-K', '-vvv'],
        [[/Password for sudo:/, 'open sesame']],
        path(at),
      );
      expect([exitCode, existsSync(at.path('one'))]).toEqual([0, true]);
      expect(received.match(/Password for sudo:/g)).toHaveLength(1);
      expect(`${received}${at.everythingOf(at.runs()[0] ?? '')}`).not.toContain('open sesame');
    });

    test('a wrong one is reported as wrong, and nothing is changed', async () => {
      const at = keptHost();
      const args = ['apply', 'test.yaml', '-y', '-K'];
      const { exitCode, shown } = await sit(at, args, [[/Password for sudo:/, 'open barley']], path(at));
      expect([exitCode === 0, existsSync(at.path('one'))]).toEqual([false, false]);
      expect(shown).toMatch(/sudo does not take the password of/);
    });
  });

  test('a confirm step asks whatever -y says; a no stops the run', async () => {
    const at = open(
      localHarness(
        onePlay(`      - step: sure\n        confirm: { question: "Really go on?" }\n${touch('one', 'one')}`),
      ),
    );
    const no = await sit(at, ['apply', 'test.yaml', '-y'], [[/Really go on\? \[y\/N\]/, 'no']]);
    expect([no.exitCode === 0, existsSync(at.path('one')), no.unasked]).toEqual([false, false, 0]);
    const again = at.runs().length > 0 && no.exitCode === 1 ? ['resume', '-y'] : ['apply', 'test.yaml', '-y'];
    // From another shell meanwhile.
    let shown = '';
    const answer = () => {
      shown = showMeanwhile(at);
      return 'yes';
    };
    const yes = await sit(at, again, [[/Really go on\? \[y\/N\]/, answer]]);
    expect([yes.exitCode, existsSync(at.path('one'))]).toEqual([0, true]);
    expect(shown).toMatch(
      /^Run waits for an answer, to be given where it runs\. 0 changed\. .*\nQuestion: Really go on\? \(a\)$/m,
    );
  });

  test('--step asks before each step: no leaves it out, all asks no more', async () => {
    const at = open(localHarness(onePlay(['one', 'two', 'three', 'four'].map((n) => touch(n, n)).join(''))));
    const { exitCode, unasked, received } = await sit(
      at,
      ['apply', 'test.yaml', '-y', '--step'],
      [
        [/Do "one"\?/, 'yes'],
        [/Do "two"\?/, 'no'],
        [/Do "three"\?/, 'all'],
      ],
    );
    expect([exitCode, unasked]).toEqual([0, 0]);
    expect(['one', 'two', 'three', 'four'].map((n) => existsSync(at.path(n)))).toEqual([true, false, true, true]);
    expect(received).not.toContain('Do "four"?');
  });

  test('close lists what it restores, and asks', async () => {
    const at = open(
      localHarness(
        onePlay(
          `      - step: open the gate\n        id: gate\n        command: { argv: [touch, "@/open"], creates: "@/open", changes: ["@/open"], timeout: 10s }\n        temporary:\n          no_restore_after: gate\n          command: { argv: [rm, -f, "@/open"], unless: { argv: [test, "!", -e, "@/open"] }, changes: ["@/open"], repeatable: true, timeout: 10s }\n      - step: fail\n        command: { argv: ["false"], changes: everything, timeout: 10s }\n`,
        ),
      ),
    );
    expect((await at.run(['apply', 'test.yaml', '-y'])).exitCode).toBe(1);
    const no = await sit(at, ['close'], [[/Close the run\? \[y\/N\]/, 'no']]);
    expect([no.exitCode, existsSync(at.path('open'))]).toEqual([3, true]);
    const yes = await sit(at, ['close'], [[/Close the run\? \[y\/N\]/, 'yes']]);
    expect([yes.exitCode, existsSync(at.path('open'))]).toEqual([0, false]);
  });
});
