/**
 * `npm run pictures`: the pictures of docs/documents.md, from a whole upgrade on the embedded model. Needs Debian's chromium, which
 * `npm run test:system` installs.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { openBrowser } from '../system/support/browser.js';

const WIDTH = 1100;
const SIZE_LIMIT = 200_000;
const program = join(process.cwd(), 'dist/cli/main.js');
const out = join(process.cwd(), 'docs/pictures');
const folder = mkdtempSync(join(tmpdir(), 'runbook-pictures-'));
const env = {
  ...process.env,
  RUNBOOK_DEMO_API_PASSWORD: 'model-api-password',
  RUNBOOK_DEMO_INDEXER_PASSWORD: 'model-indexer-password',
};

function runbook(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`runbook ${args.join(' ')} ended with status ${String(status)}\n${stderr}`);
  // Whoever makes the pictures is not in them.
  return stdout.replaceAll(`${userInfo().username}@${hostname()}`, 'ops@bastion').replaceAll(folder, '/srv/upgrade');
}

/** A platform of its own that lives as long as `use` takes. */
async function withModel(use: () => void): Promise<void> {
  const model = spawn(process.execPath, [program, 'model', 'upgrade-4.14.yaml'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => model.stdout.once('data', resolve));
  use();
  model.kill('SIGTERM');
  await new Promise((resolve) => model.once('exit', resolve));
}

/** The top of a page, down to the end of the section with this heading. */
async function picture(name: string, scheme: 'dark' | 'light', upTo: string): Promise<void> {
  const browser = await openBrowser();
  const page = await browser.newPage({ viewport: { width: WIDTH, height: 800 }, colorScheme: scheme });
  await page.goto(`file://${join(folder, `${name}.html`)}`);
  const height = await page.evaluate<number>(
    `document.getElementById('${upTo}').parentElement.getBoundingClientRect().bottom`,
  );
  const path = join(out, `${name}.png`);
  await page.screenshot({ path, fullPage: true, clip: { x: 0, y: 0, width: WIDTH, height: Math.ceil(height) + 16 } });
  await browser.close();
  const { size } = statSync(path);
  if (size > SIZE_LIMIT) throw new Error(`${path} has ${size} bytes, more than ${SIZE_LIMIT}`);
  console.log(`docs/pictures/${name}.png: ${size} bytes`);
}

mkdirSync(out, { recursive: true });
const inventory = readFileSync('tests/demo/inventory.yaml', 'utf8');
writeFileSync(join(folder, 'inventory.yaml'), inventory);
// A first upgrade measures the steps, so that the plan of the second has estimates of this inventory.
await withModel(() => void runbook('apply', 'upgrade-4.14.yaml', '-y'));
await withModel(() => {
  runbook('apply', 'prepare.yaml', '-y');
  writeFileSync(join(folder, 'plan.html'), runbook('plan', 'upgrade-4.14.yaml', '--format', 'html'));
  runbook('apply', 'upgrade-4.14.yaml', '-y');
  writeFileSync(join(folder, 'report.html'), runbook('report', '--format', 'html'));
});
await picture('plan', 'light', 'back-out');
await picture('report', 'dark', 'timeline');
rmSync(folder, { recursive: true });
