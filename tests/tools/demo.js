// `npm run demo`: the main job, a whole upgrade, on the embedded model platform. Needs Node 20 and nothing else; does its own set-up.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const startedMs = Date.now();
for (const step of ['tests/tools/setup.js', 'tests/tools/build.js']) {
  const done = spawnSync(process.execPath, [step], { stdio: 'inherit' });
  if (done.status !== 0) process.exit(done.status ?? 1);
}

const folder = mkdtempSync(join(tmpdir(), 'runbook-demo-'));
const inventory = join(folder, 'inventory.yaml');
cpSync('tests/demo/inventory.yaml', inventory);
const env = {
  ...process.env,
  RUNBOOK_DEMO_API_PASSWORD: 'model-api-password',
  RUNBOOK_DEMO_INDEXER_PASSWORD: 'model-indexer-password',
};
const runbook = join(process.cwd(), 'dist/cli/main.js');

const model = spawn(process.execPath, [runbook, 'model', 'upgrade-4.14.yaml', '-i', inventory], {
  cwd: folder,
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
});
await new Promise((resolve, reject) => {
  model.stdout.once('data', resolve);
  model.once('exit', () => reject(new Error('the model did not start')));
});

const verbs = [
  ['validate', 'upgrade-4.14.yaml'],
  ['plan', 'upgrade-4.14.yaml'],
  ['apply', 'upgrade-4.14.yaml', '-y'],
  ['apply', 'upgrade-4.14.yaml', '-y'],
  ['runs'],
];
let failed = 0;
for (const verb of verbs) {
  console.log(`\n$ runbook ${verb.join(' ')}`);
  const { status } = spawnSync(process.execPath, [runbook, ...verb, '-i', inventory], {
    cwd: folder,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) failed += 1;
}

model.kill('SIGTERM');
await new Promise((resolve) => (model.exitCode === null ? model.once('exit', resolve) : resolve()));
if (failed === 0 && existsSync(folder)) rmSync(folder, { recursive: true });
console.log(
  `\ndemo: ${failed === 0 ? 'upgraded' : `${failed} of ${verbs.length} verbs failed, see ${folder}`} in ${Math.round((Date.now() - startedMs) / 1000)} s`,
);
process.exit(failed === 0 ? 0 : 1);
