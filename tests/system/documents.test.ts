import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { MODEL_SECRETS, modelHarness, type Harness } from '../cli/cli-harness.js';
import { openBrowser } from './support/browser.js';

const env = MODEL_SECRETS;
let harness: Harness;
let browser: Browser;

beforeAll(async () => {
  harness = modelHarness('{ from: 4.12.0 }');
  const plan = await harness.run(['plan', 'upgrade-4.14.yaml', '--format', 'html'], { env });
  harness.write('plan.html', plan.stdout);
  await harness.run(['apply', 'upgrade-4.14.yaml', '-y'], { env });
  await harness.run(['report', '-o', 'report.html'], { env });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  harness.end();
});

/** A page with all that it complained of. */
async function open(
  name: string,
  width: number,
  colorScheme: 'dark' | 'light',
): Promise<{ page: Page; said: string[] }> {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  const said: string[] = [];
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (error) => said.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith('file:')) said.push(request.url());
  });
  await page.goto(`file://${harness.path(name)}`);
  return { page, said };
}

describe.each(['plan.html', 'report.html'])('%s in a browser', (name) => {
  test.each([360, 800, 1400])(
    '%d pixels wide: the page does not scroll sideways, loads nothing and complains of nothing',
    async (width) => {
      const { page, said } = await open(name, width, 'light');
      const widths = await page.evaluate<readonly number[]>('[document.documentElement.scrollWidth, innerWidth]');
      expect(widths).toEqual([width, width]);
      expect(said).toEqual([]);
      await page.close();
    },
  );

  test.each(['dark', 'light'] as const)('%s: axe finds nothing, also with everything unfolded', async (scheme) => {
    for (const width of [360, 1400]) {
      const { page } = await open(name, width, scheme);
      await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
      await page.evaluate(axe.source);
      const found = await page.evaluate<readonly string[]>(
        'axe.run().then(({ violations }) => violations.map((v) => `${v.id}: ${v.nodes.length}, ${v.nodes[0].html}`))',
      );
      expect(found).toEqual([]);
      await page.close();
    }
  });

  test('by keyboard: the first key leads to the content, then to what unfolds, which Enter opens', async () => {
    const { page } = await open(name, 1400, 'light');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(/#content$/);
    for (let i = 0; i < 60; i += 1) {
      await page.keyboard.press('Tab');
      if ((await page.evaluate<string>('document.activeElement.tagName')) === 'SUMMARY') break;
    }
    await page.keyboard.press('Enter');
    expect(await page.evaluate<boolean>('document.activeElement.parentElement.open')).toBe(true);
    await page.close();
  });

  test('prints to PDF with what is folded', async () => {
    const { page } = await open(name, 1400, 'dark');
    await page.emulateMedia({ media: 'print' });
    const shown = await page.evaluate<boolean>(
      "[...document.querySelectorAll('details.diff pre')].every((pre) => pre.getBoundingClientRect().height > 0 && pre.checkVisibility())",
    );
    expect(shown).toBe(true);
    const pdf = await page.pdf({ format: 'A4' });
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    await page.close();
  });
});
