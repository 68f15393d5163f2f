/**
 * `npm run pictures`: the pictures of docs/documents.md, from a whole upgrade on the embedded model. Needs Debian's chromium, which
 * `npm run test:system` installs.
 */
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBrowser } from '../system/support/browser.js';
import { openModelFolder } from './model-run.js';

const WIDTH = 1100;
const SIZE_LIMIT = 240_000;
const out = join(process.cwd(), 'docs/pictures');
const work = openModelFolder();
const { folder } = work;

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
// A first upgrade measures the steps, so that the plan of the second has estimates of this inventory.
await work.withModel(() => void work.runbook('apply', 'upgrade-4.14.yaml', '-y'));
await work.withModel(() => {
  work.runbook('apply', 'prepare.yaml', '-y');
  writeFileSync(join(folder, 'plan.html'), work.runbook('plan', 'upgrade-4.14.yaml', '--format', 'html'));
  work.runbook('apply', 'upgrade-4.14.yaml', '-y');
  writeFileSync(join(folder, 'report.html'), work.runbook('report', '--format', 'html'));
});
await picture('plan', 'light', 'back-out');
await picture('report', 'dark', 'timeline');
rmSync(folder, { recursive: true });
