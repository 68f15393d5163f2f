import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HtmlValidate } from 'html-validate';
import { keepForReport } from '../../../engine/journal/for-report.js';
import { openRunFolder, runsOf } from '../../../engine/journal/run-folder.js';
import type { Fault } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import { brokenPlatform, killedAt, UPGRADE_INDEXER } from '../broken-platform.js';
import { localHarness, MODEL_SECRETS, modelHarness, onePlay, touch, type Harness, until } from '../cli-harness.js';
import { misfitsOf } from '../published.js';

const env = MODEL_SECRETS;
const golden = join(import.meta.dirname, 'golden');
const ends: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

async function openModel(faults: readonly Fault[] = []) {
  const harness = modelHarness('{ socket: model.sock }');
  ends.push(harness.end);
  const { served, watch } = await brokenPlatform(harness, faults);
  ends.push(() => served.close());
  return { ...harness, watch };
}

const text = async ({ run }: Harness, ...args: readonly string[]): Promise<string> =>
  (await run(args, { env, stripFinalNewline: false })).stdout;

/** What differs from one run to the next: who, where, when, and how long it took. Times of a run depend on its polls. */
const steady = (harness: Harness, md: string, times: boolean): string =>
  md
    .replaceAll(harness.folder, '/FOLDER')
    .replace(/\b[0-9a-f]{64}\b/g, 'HASH')
    .replace(/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ/gi, 'RUN')
    .replace(/ by \S+@\S+$/m, ' by WHO')
    .replace(/\| \S+@\S+ \|([^\n]*)\| \d+\.\d+\.\d+ \|/g, '| WHO |$1| VERSION |')
    .replace(/```text\n +0 [^]*?\n```/g, (chart) => (times ? chart : 'CHART'))
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d \w+/g, 'WHEN')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z/g, (found) => (times ? found : 'WHEN'))
    .replace(/\d+:\d\d:\d\d/g, (found) => (times ? found : 'T'))
    .replace(/\b\d+ (ms|s|min|h)\b( \d+ (s|min)\b)?/g, (found) => (times ? found : 'N'))
    .replace(/^\| Alerts in the last hour .*$/m, '| Alerts in the last hour | N |')
    // The model's connector writes a state each time that it looks.
    .replace(/^(\| Documents in the states indices \| 0) \| \d+ /m, '$1 | N ')
    // On which host a step of run_once runs, and what was unchanged at the end of a race, is a matter of time.
    .replace(/^## Unchanged\n[^]*?(?=^## )/m, (found) =>
      times ? found.replace(/^\| Record the checksums .*\n/gm, '') : '',
    )
    .split('\n')
    // Whether a copy is in sync by then is a matter of time.
    .filter((line) => times || !/(single|only) in-sync copy/.test(line))
    .join('\n')
    .replace(/^## Warnings\n+(?=## )/m, '');

/** GOLDEN=write writes it anew, to be read by an operator. */
function likeGolden(name: string, md: string): void {
  const file = join(golden, `${name}.md`);
  if (process.env['GOLDEN'] === 'write') writeFileSync(file, md);
  expect(md).toBe(readFileSync(file, 'utf8'));
}

const misfits = misfitsOf('document.schema.json');

/** The same document as JSON is what the published schema says. */
async function isPublished(harness: Harness, ...args: readonly string[]): Promise<void> {
  expect(misfits([JSON.parse(await text(harness, ...args, '--format', 'json'))])).toEqual([]);
}

// A line of a diff may end in a blank.
const validator = new HtmlValidate({
  extends: ['html-validate:recommended'],
  rules: { 'no-trailing-whitespace': 'off' },
});

async function isValidHtml(html: string): Promise<void> {
  const { results } = await validator.validateString(html);
  expect(results.flatMap(({ messages }) => messages.map((m) => `${m.line}: ${m.ruleId}: ${m.message}`))).toEqual([]);
  // One file: nothing is loaded, nothing leads away, nothing runs.
  expect(html).not.toMatch(
    /\b(href|src|action)="(?!#)|<(script|link|iframe|img|object|base|form)\b|@import|url\(|\son\w+=/i,
  );
}

describe('the documents of an upgrade', () => {
  let harness: Harness;
  const of: Record<string, { readonly md: string; readonly html: string }> = {};
  beforeAll(async () => {
    harness = await openModel();
    const both = async (...args: readonly string[]) => ({
      md: await text(harness, ...args, '--format', 'md'),
      html: await text(harness, ...args, '--format', 'html'),
    });
    of['plan'] = await both('plan', 'upgrade-4.14.yaml');
    await isPublished(harness, 'plan', 'upgrade-4.14.yaml');
    const audit = ['--ticket', 'CHG-4711', '--reason', 'approved on Monday'];
    await harness.run(['apply', 'upgrade-4.14.yaml', '-y', ...audit], { env });
    of['report'] = await both('report');
  }, 120_000);

  test('the plan, as Markdown', () => likeGolden('plan', steady(harness, of['plan']?.md ?? '', true)));

  test('the report of the run that finished, as Markdown', () =>
    likeGolden('report-done', steady(harness, of['report']?.md ?? '', false)));

  test('both are valid HTML in one file', async () => {
    for (const { html } of Object.values(of)) await isValidHtml(html);
  });

  test('the report compares estimate and measurement of each phase and service, and names the point of no return it passed', () => {
    const html = of['report']?.html ?? '';
    for (const kind of ['phase', 'down', 'in-turn', 'restart'])
      for (const which of ['estimate', 'measured']) expect(html).toContain(`<rect class="${which} ${kind}"`);
    expect(of['report']?.md).toMatch(/\*\*POINT OF NO RETURN\*\* passed 2026-11-21 22:\d\d \w+, in phase Agents/);
  });

  test('the report has the first agents that are active, each with its id, name, version and status', () => {
    expect(of['report']?.md).toMatch(
      /^\| An agent is active \| 2 of 2 agents active: 001 linux-1 4\.14\.7 active, .* active \|/m,
    );
  });

  test('the plan of its rollback is a document, too', async () => {
    const plan = await text(harness, 'rollback', '--dry-run', '--format', 'md');
    expect(plan).toMatch(/^# Plan: Rollback ON THE MODEL · /);
    await isPublished(harness, 'rollback', '--dry-run');
    const { exitCode, stderr } = await harness.run(['rollback', '-y', '--format', 'md'], { env });
    expect([exitCode, stderr]).toEqual([2, 'runbook: --format needs --dry-run; of the run afterwards: runbook report']);
  });

  test('JSON is the data of both', async () => {
    const json = JSON.parse(await text(harness, 'report', '--format', 'json')) as { sections: { is: string }[] };
    expect(json).toMatchObject({ format: 'runbook-document', version: 1, of: 'run', state: 'done' });
    expect(json.sections.map(({ is }) => is)).toContain('timeline');
    expect(misfits([json])).toEqual([]);
  });

  test('--public has no name of a host or user and no address, in no format', async () => {
    for (const format of ['md', 'html', 'json']) {
      const shown = await text(harness, 'report', '--public', '--format', format);
      expect(shown).not.toContain(harness.folder);
      expect(shown).not.toMatch(/indexer-\d|server-\d|dashboard-1|linux-\d|\b10\.0\.0\.|packages\.example/);
      expect(shown).toMatch(/\bhost-1\b[^]*\bhost-8\b/);
      expect(shown).toContain('platform-indexer');
    }
  });
});

test('the report of a run that failed', async () => {
  const harness = await openModel([{ fault: 'start-fails', host: 'indexer-2', unit: 'platform-indexer' }]);
  await harness.run(['apply', 'upgrade-4.14.yaml', '-y'], { env });
  const md = await text(harness, 'report');
  likeGolden('report-failed', steady(harness, md, false));
  expect(md).toMatch(
    /\*\*Indexer\*\* \| \*\*one at a time\*\* \| indexer-2 .* at least \d+ s \| \*\*DOWN\*\* on indexer-2/,
  );
  expect(md).toMatch(/Stop the shipper \| server-1, server-2 \| \*\*NOT RESTORED\*\*/);
  await isValidHtml(await text(harness, 'report', '--format', 'html'));
  await isPublished(harness, 'report');

  // What closing it would do is a document, too.
  const close = await text(harness, 'close', '--dry-run', '--format', 'md');
  expect(close).toMatch(
    /^# Plan: Close: Upgrade to release line 4\.14 ON THE MODEL · READY\n\nDRY RUN, nothing was changed/,
  );
  expect(close).toContain('**STAYS STOPPED** indexer on indexer-2');
  expect(close).toMatch(/^\| Indexer \/ Upgrade each node \| Start the indexer · .* \| indexer-2 \|$/m);
  expect(close).toMatch(/^\| ↻ \| filebeat starts.* \| server-1, server-2 \|$/m);
  await isValidHtml(await text(harness, 'close', '--dry-run', '--format', 'html'));
  await isPublished(harness, 'close', '--dry-run');
  const refused = await harness.run(['close', '-y', '--format', 'md'], { env });
  expect([refused.exitCode, refused.stderr]).toEqual([
    2,
    'runbook: --format needs --dry-run; of the run afterwards: runbook report',
  ]);
});

test('a run that was rolled back, and its rollback, name each other', async () => {
  const harness = await openModel();
  await killedAt(harness, harness.watch, ['apply', 'upgrade-4.14.yaml', '-y'], UPGRADE_INDEXER, 2);
  const cut = await text(harness, 'report');
  expect(cut).toMatch(/^# Report: .* · INTERRUPTED$/m);
  expect(cut).toMatch(/^Begun, and not known whether they were finished:\n\n- indexer-3: Upgrade the package/m);
  await harness.run(['rollback', '-y', '-e', 'override_version=true'], { env });
  const [first = '', second = ''] = harness.runs();
  const rolledBack = await text(harness, 'report', first);
  expect(rolledBack).toContain(`- **Rolled back by**: ${second}`);
  likeGolden('report-rolled-back', steady(harness, rolledBack, false));
  const rollback = await text(harness, 'report');
  expect(rollback).toContain(`- **Rolls back**: ${first}`);
  likeGolden('report-rollback', steady(harness, rollback, false));
  await isPublished(harness, 'report', first);
  await isPublished(harness, 'report', second);
  await isValidHtml(await text(harness, 'report', '--format', 'html'));

  // The stage that a controller records which is not killed: the next plan has the time of the rollback from there.
  const [stage, takesMs] = ['before the first new indexer starts', 300_000];
  const stages = [{ stage, do: 'runbook rollback', takesMs, dataLoss: 'none' }];
  const kept = openRunFolder(runsOf(harness.path('inventory.yaml')), first);
  keepForReport(kept, 'back-out.json', { atMs: 0, stages });
  const plan = await text(harness, 'plan', 'upgrade-4.14.yaml');
  expect(plan).toContain('BACK-OUT  (times: measured by earlier rollbacks of this inventory; after a stop, ');
  expect(plan).toMatch(/^ {2}until a new index is created +runbook rollback +25 min \(default\)/m);
});

const STEPS = onePlay(
  `${touch('one', 'one')}      - step: two\n        command: { argv: [test, -e, "@/fixed"], changes: everything, timeout: 10s }\n`,
);

describe('runbook report', () => {
  const open = (): Harness => {
    const harness = localHarness(STEPS);
    ends.push(harness.end);
    return harness;
  };

  test('writes a file of its own, in the format that its name says, and overwrites none', async () => {
    const harness = open();
    await harness.run(['apply', 'test.yaml', '-y']);
    const wrote = await harness.run(['report', '-o', 'r.html']);
    expect([wrote.exitCode, wrote.stdout]).toEqual([0, 'Written to r.html']);
    expect(harness.read('r.html')).toMatch(/^<!DOCTYPE html>/);
    expect((statSync(harness.path('r.html')).mode & 0o777).toString(8)).toBe('600');
    const before = harness.read('inventory.yaml');
    const again = await harness.run(['report', '-o', 'inventory.yaml']);
    expect([again.exitCode, again.stderr]).toEqual([
      2,
      'runbook: inventory.yaml exists; name another file, or remove it',
    ]);
    expect(harness.read('inventory.yaml')).toBe(before);
    const nowhere = await harness.run(['report', '-o', 'no/such/r.md']);
    expect([nowhere.exitCode, nowhere.stderr]).toEqual([
      3,
      'runbook: the report cannot be written to no/such/r.md (ENOENT)',
    ]);
  });

  test('says what is wrong with what was typed', async () => {
    const harness = open();
    const cases: readonly (readonly [readonly string[], string])[] = [
      [['report', '--format', 'pdf'], 'runbook: --format takes md, html, json, not "pdf"'],
      [
        ['plan', 'test.yaml', '--format', 'md', '--json'],
        'runbook: --json and --format exclude each other; use one of them',
      ],
      [['show', '--format', 'md'], 'runbook: --format is for plan files; of a run: runbook report --format md'],
      [['report'], `runbook: no runs in ${harness.path('.runbook/runs')}\n  -i names another inventory`],
      [['apply', 'test.yaml', '--format', 'md'], 'runbook: apply takes no --format  (runbook apply --help)'],
    ];
    for (const [args, message] of cases) {
      const { exitCode, stderr, stdout } = await harness.run(args);
      expect([exitCode, stderr, stdout]).toEqual([2, message, '']);
    }
  });

  test('of a damaged run: up to the damage, and says so', async () => {
    const harness = open();
    await harness.run(['apply', 'test.yaml', '-y']);
    const journal = harness.path(`.runbook/runs/${harness.runs()[0] ?? ''}/journal.ndjson`);
    const lines = readFileSync(journal, 'utf8').split('\n');
    writeFileSync(journal, lines.with(-3, (lines.at(-3) ?? '').replace('"event"', '"Event"')).join('\n'));
    const { stdout, stderr, exitCode } = await harness.run(['report']);
    expect(exitCode).toBe(3);
    expect(stderr).toContain('the journal is damaged');
    expect(stdout).toMatch(/\*\*INCOMPLETE REPORT\*\* The record of this run is damaged: .*journal.ndjson:\d+/);
    expect(stdout).toMatch(/\| one \| a \|/);
  });

  test('of a run whose plan and copy are gone has what the journal has', async () => {
    const harness = open();
    await harness.run(['apply', 'test.yaml', '-y']);
    const { rmSync } = await import('node:fs');
    for (const name of ['plan.json', 'copy.json'])
      rmSync(harness.path(`.runbook/runs/${harness.runs()[0] ?? ''}/${name}`));
    const { stdout, exitCode } = await harness.run(['report', '--public']);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('The plan of this run was not kept')]);
    expect(stdout).toContain('host-1: two:');
  });

  test('of a run under way says what it is at', async () => {
    const harness = localHarness(
      onePlay(
        `${touch('one', 'one')}      - step: two\n        command: { argv: [sh, -c, "touch @/begun; while [ ! -e @/go ]; do sleep 0.05; done"], changes: everything, timeout: 60s }\n`,
      ),
    );
    ends.push(harness.end);
    const running = harness.start(['apply', 'test.yaml', '-y']);
    await until(() => existsSync(harness.path('begun')));
    const { stdout } = await harness.run(['report']);
    writeFileSync(harness.path('go'), '');
    await running;
    expect(stdout).toMatch(/^# Report: Try · RUNNING\n/);
    expect(stdout).toContain('At work now:\n\n- a: two:');
  });
});

test('a plan file has the document of its plan; standard output is the document alone', async () => {
  const harness = localHarness(STEPS);
  ends.push(harness.end);
  const { stdout, stderr } = await harness.run(['plan', 'test.yaml', '-o', 'change.plan', '--format', 'html']);
  expect(stderr).toMatch(/^Written to change\.plan/m);
  expect(stdout).toMatch(/^<!DOCTYPE html>[^]*<\/html>$/);
  expect((await harness.run(['show', 'change.plan', '--format', 'html'])).stdout).toBe(stdout);
  await harness.run(['apply', 'change.plan', '-y']);
  const id = /\((\w{8})\)/.exec(stderr)?.[1] ?? '';
  expect((await harness.run(['report'])).stdout).toContain(`- **Approved plan**: ${id}`);
});

test('a plan that is refused is a document, too: it says why, and has nothing to sign', async () => {
  const harness = localHarness(onePlay('      - step: look\n        check: { that: 1 == 2, message: no good }\n'));
  ends.push(harness.end);
  const { stdout, exitCode } = await harness.run(['plan', 'test.yaml', '--format', 'md']);
  expect(exitCode).toBe(3);
  expect(stdout).toMatch(/· REFUSED\n[^]*## Why the plan is refused\n\n- a: look: no good/);
  expect(stdout).not.toContain('Approval');
});
