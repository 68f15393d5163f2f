// `npm run demo`: an upgrade with a fault in its middle, on the embedded model platform: plan, apply, the failure, resume, done. Needs Node 20
// and nothing else; does its own set-up.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const startedMs = Date.now();
for (const step of ['tests/tools/setup.js', 'tests/tools/build.js']) {
  const done = spawnSync(process.execPath, [step], { stdio: 'inherit' });
  if (done.status !== 0) process.exit(done.status ?? 1);
}

const folder = mkdtempSync(join(tmpdir(), 'runbook-demo-'));
const inventory = join(folder, 'inventory.yaml');
const report = join(mkdtempSync(join(tmpdir(), 'runbook-report-')), 'report.html');
cpSync('tests/demo/inventory.yaml', inventory);
const env = {
  ...process.env,
  // What succeeded here is no rehearsal of the user's own.
  XDG_STATE_HOME: folder,
  RUNBOOK_DEMO_API_PASSWORD: 'model-api-password',
  RUNBOOK_DEMO_INDEXER_PASSWORD: 'model-indexer-password',
};
const runbook = join(process.cwd(), 'dist/cli/main.js');

/** The second indexer does not start with its new package, the first time. */
const faults = [{ fault: 'start-fails', host: 'indexer-3', unit: 'platform-indexer', times: 1 }];
const model = spawn(
  process.execPath,
  [runbook, 'model', 'upgrade-4.14.yaml', '-i', inventory, '-e', JSON.stringify({ faults })],
  { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] },
);
await new Promise((resolve, reject) => {
  model.stdout.once('data', resolve);
  model.once('exit', () => reject(new Error('the model did not start')));
});

/** Each command with what it is for, and the exit code that it must have. */
const STORY = [
  ['Days before: is everything ready?', ['doctor', 'upgrade-4.14.yaml'], 0],
  ['What would be done? This page goes to the change board.', ['plan', 'upgrade-4.14.yaml'], 0],
  ['The night. Of the three indexers, one will not start.', ['apply', 'upgrade-4.14.yaml', '-y'], 1],
  ['The cause is fixed on indexer-3. The run continues where it stopped.', ['resume', '-y'], 0],
  ['What was done, and when?', ['runs'], 0],
  ['For the change ticket: one HTML file.', ['report', '-o', report], 0],
];
let failed = 0;
for (const [why, command, expected] of STORY) {
  console.log(`\n# ${why}\n$ runbook ${command.join(' ')}`);
  const { status } = spawnSync(process.execPath, [runbook, ...command, '-i', inventory], {
    cwd: folder,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== expected) failed += 1;
}

model.kill('SIGTERM');
await new Promise((resolve) => (model.exitCode === null ? model.once('exit', resolve) : resolve()));
if (failed === 0) rmSync(folder, { recursive: true });
console.log(
  `\ndemo: ${failed === 0 ? 'upgraded' : `${failed} of ${STORY.length} commands ended otherwise than expected, see ${folder}`} in ${Math.round((Date.now() - startedMs) / 1000)} s`,
);
process.exit(failed === 0 ? 0 : 1);
