/**
 * Debian's chromium, driven by playwright-core, which brings no browser of its own.
 *
 * The browser is told to ask nobody for anything, and has no sandbox, which refuses to work for root.
 */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const INSTALLED = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const FLAGS = [
  '--headless=new',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Undefined when there is one. */
export function whyNoChromium(): string | undefined {
  return findChromium() === undefined
    ? 'chromium is not installed here: apt-get install chromium'
    : undefined;
}

export function startChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error(whyNoChromium());
  return chromium.launch({ executablePath, args: FLAGS });
}

function findChromium(): string | undefined {
  return INSTALLED.find((path) => existsSync(path));
}
