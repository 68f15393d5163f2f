import { expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openJournal } from '../../engine/journal/journal.js';
import { createRunFolder, findUnfinished, listRuns, runsOf, type RunCopy } from '../../engine/journal/run-folder.js';

const copyFor = (inventory: string): RunCopy => ({
  version: 1,
  playbook: [],
  inventory: [{ file: inventory, text: '' }],
  cwd: '/',
  extraVars: {},
});

test('inventories that stand side by side do not see each other’s runs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'runbook-runs-'));
  try {
    const [production, staging] = [join(folder, 'prod.yaml'), join(folder, 'staging.yaml')];
    const run = createRunFolder(runsOf(staging), 0, copyFor(staging));
    const journal = openJournal({ nowMs: () => 0, file: run.journalFile });
    journal.emit({
      e: 'run-started',
      run: run.id,
      verb: 'apply',
      playbook: 'P',
      inventory: staging,
      hosts: 1,
      hash: 'h',
    });
    journal.close();
    expect(findUnfinished(runsOf(staging))?.folder.id).toBe(run.id);
    expect([findUnfinished(runsOf(production)), listRuns(runsOf(production))]).toEqual([undefined, []]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
