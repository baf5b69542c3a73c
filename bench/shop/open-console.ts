/**
 * A console that is open in a real browser, for `npm run bench -- console`: signed in by a code as `purser console` gives
 * it, and what its page does and takes meanwhile.
 */
import type { Browser, CDPSession, Page } from 'playwright-core';
import { OperatorClient } from '../../test/support/operator-client.ts';
import type { RunningNode } from '../systems/running-node.ts';

export interface PageFigures {
  /** Bytes of the page's own objects, after a garbage collection. */
  readonly heapBytes: number;
  readonly elements: number;
  /** Requests since the page was opened. */
  readonly requests: number;
}

const PATIENCE_MS = 30_000;

export class OpenConsole {
  readonly #page: Page;
  readonly #devTools: CDPSession;
  readonly #origin: string;
  #requests = 0;
  /** From the address to a drawn overview. */
  readonly drawnMs: number;

  private constructor(page: Page, devTools: CDPSession, origin: string, drawnMs: number) {
    this.#page = page;
    this.#devTools = devTools;
    this.#origin = origin;
    this.drawnMs = drawnMs;
    page.on('request', () => {
      this.#requests += 1;
    });
  }

  /** In a context of its own: nothing is cached. Rejects when the overview isn't drawn within half a minute. */
  static async open(browser: Browser, node: RunningNode): Promise<OpenConsole> {
    const { origin } = new URL(node.operatorUrl);
    const operator = new OperatorClient(node.operatorUrl, node.operatorToken);
    const { body } = await operator.json('POST', '/console-codes', {});
    const { code } = { ...body } as { readonly code?: string };
    const context = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
    const page = await context.newPage();
    const devTools = await context.newCDPSession(page);
    const fromMs = performance.now();
    await page.goto(`${origin}/console#code=${code}`);
    await drawn(page, 'Overview');
    return new OpenConsole(page, devTools, origin, performance.now() - fromMs);
  }

  /** How long it takes until a screen is drawn whose address is this. */
  async show(address: string, heading: string): Promise<number> {
    const fromMs = performance.now();
    await this.#page.goto(`${this.#origin}/console${address}`);
    await drawn(this.#page, heading);
    return performance.now() - fromMs;
  }

  async figures(): Promise<PageFigures> {
    await this.#devTools.send('HeapProfiler.collectGarbage');
    await this.#devTools.send('Performance.enable');
    const { metrics } = await this.#devTools.send('Performance.getMetrics');
    const of = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
    return { heapBytes: of('JSHeapUsedSize'), elements: of('Nodes'), requests: this.#requests };
  }

  close(): Promise<void> {
    return this.#page.context().close();
  }
}

async function drawn(page: Page, heading: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name: heading }).waitFor({ timeout: PATIENCE_MS });
  await page.locator('main:not([aria-busy="true"])').waitFor({ timeout: PATIENCE_MS });
}
