import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBrowser } from '../system/support/browser.js';
import { writeModelInventory } from './inventory.js';
import { cost, median } from './measure.js';
import { runbook } from './work.js';

/** A plan of many hosts as one HTML file: its size, 10⁶ bytes, and how long a browser takes to show it. */
export interface BigDocument {
  readonly hosts: number;
  readonly sizeMb: number;
  readonly openMs: number;
}

export async function bigDocument(folder: string, hosts: number, rounds: number): Promise<BigDocument> {
  const inventory = writeModelInventory(folder, hosts);
  const { stdout } = await cost({
    argv: runbook('plan', '-i', inventory, 'upgrade-4.14.yaml', '--format', 'html'),
    env: { RUNBOOK_BENCH_PASSWORD: 'taken by the model alone' },
  });
  const file = join(folder, 'plan.html');
  writeFileSync(file, stdout);
  return { hosts, sizeMb: Buffer.byteLength(stdout) / 1e6, openMs: await openMs(file, rounds) };
}

/** Until it is laid out and painted, in a browser that runs already; the median. */
async function openMs(file: string, rounds: number): Promise<number> {
  const browser = await openBrowser();
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    const startedMs = performance.now();
    await page.goto(`file://${file}`, { waitUntil: 'load' });
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    times.push(performance.now() - startedMs);
    await page.close();
  }
  await browser.close();
  return median(times);
}
