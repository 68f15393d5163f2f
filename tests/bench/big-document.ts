import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBrowser } from '../system/support/browser.js';
import { writeModelInventory } from './inventory.js';
import { cost, median } from './measure.js';
import { runbook } from './work.js';

/** A document of many hosts as one HTML file: its size, 10⁶ bytes, and how long a browser takes to show it. */
export interface BigDocument {
  readonly of: 'plan' | 'report';
  readonly hosts: number;
  readonly sizeMb: number;
  readonly openMs: number;
}

/** The plan of the upgrade of so many model hosts, and the report of the run that did it. */
export async function bigDocuments(folder: string, hosts: number, rounds: number): Promise<readonly BigDocument[]> {
  const inventory = writeModelInventory(folder, hosts);
  const run = async (...args: readonly string[]): Promise<string> => {
    const argv = runbook(...args, '-i', inventory);
    return (await cost({ argv, env: { RUNBOOK_BENCH_PASSWORD: 'taken by the model alone' } })).stdout;
  };
  const plan = await run('plan', 'upgrade-4.14.yaml', '--format', 'html');
  await run('apply', 'upgrade-4.14.yaml', '-y');
  const texts = { plan, report: await run('report', '--format', 'html') };
  const found: BigDocument[] = [];
  for (const of of ['plan', 'report'] as const) {
    const file = join(folder, `${of}.html`);
    writeFileSync(file, texts[of]);
    found.push({ of, hosts, sizeMb: Buffer.byteLength(texts[of]) / 1e6, openMs: await openMs(file, rounds) });
  }
  return found;
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
