import { chromium, type Browser } from 'playwright-core';

/** Debian's Chromium, which `npm run test:system` installs. Nothing of it may reach for the network. */
const PROGRAM = '/usr/bin/chromium';
const FLAGS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

export const openBrowser = (): Promise<Browser> => chromium.launch({ executablePath: PROGRAM, args: FLAGS });
