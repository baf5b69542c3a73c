/**
 * `npm run bench -- console`: what a console that somebody has left open costs purchases, and what it takes itself, in a
 * real browser. Three parts:
 *
 * - windows of purchases on two nodes in turn (`alternate.ts`), of which the second has a console open at its overview;
 * - how long it takes from opening the address until the overview is drawn, and the first page of orders, on a node with
 *   so many orders;
 * - a console left open beside purchases at a fixed rate: memory, elements and requests of its page, minute by minute.
 *
 * The browser shares this machine with node and load, so what it draws is in the figures as well.
 */
import type { Browser } from 'playwright-core';
import { startChromium, whyNoChromium } from '../../test/suites/console/chromium.ts';
import { fill } from '../history/fill.ts';
import { LoadGenerator } from '../load/load-generator.ts';
import { median } from '../measure/statistics.ts';
import { textTable } from '../measure/text-table.ts';
import { OpenConsole } from '../shop/open-console.ts';
import { Stage } from '../shop/stage.ts';
import { Violations } from '../shop/violations.ts';
import { catalog } from '../shop/world.ts';
import type { RunningNode } from '../systems/running-node.ts';
import { type AlternateEnvironment, runAlternate } from './alternate.ts';
import { BadFlagError, mostOrders, mostPerSecond, wholeNumber } from './contention-options.ts';

export interface ConsoleFlags {
  readonly rounds?: string;
  readonly seconds?: string;
  readonly orders?: string;
  readonly minutes?: string;
  readonly rate?: string;
}

export interface ConsoleEnvironment extends AlternateEnvironment {
  readonly progress: (line: string) => void;
}

const CONNECTIONS = 64;
const OPENINGS = 7;
const MINUTE_MS = 60_000;
const WARMUP_MS = 1_000;
/** The luck of the draw between products. */
const SPARE_STOCK = 1.2;

/** Resolves true when every acknowledged purchase held. Throws `BadFlagError` with a sentence for the user. */
export async function runConsole(flags: ConsoleFlags, environment: ConsoleEnvironment): Promise<boolean> {
  const orders = wholeNumber('--orders', flags.orders ?? '100000', 1, mostOrders);
  const minutes = wholeNumber('--minutes', flags.minutes ?? '5', 0, 24 * 60);
  const rate = wholeNumber('--rate', flags.rate ?? '5000', 1, mostPerSecond);
  const missing = whyNoChromium();
  if (missing !== undefined) throw new BadFlagError(missing);
  const browser = await startChromium();
  try {
    const { rounds = '9', seconds = '2' } = flags;
    const isSound = await windowsBeside(browser, { rounds, seconds }, environment);
    return (await leftOpen(browser, { orders, minutes, rate }, environment)) && isSound;
  } finally {
    await browser.close();
  }
}

async function windowsBeside(
  browser: Browser,
  windows: { readonly rounds: string; readonly seconds: string },
  { start, folder, print }: AlternateEnvironment,
): Promise<boolean> {
  print('the second node has a console open');
  let isFirst = true;
  const own = {
    folder,
    print,
    start: async (options: Parameters<typeof start>[0]) => {
      const node = await start(options);
      if (!isFirst) await OpenConsole.open(browser, node).catch((error: unknown) => endWith(node, error));
      isFirst = false;
      return node;
    },
  };
  return runAlternate({ ...windows, nodes: 'uws,uws', scenario: 'uniform,hot-product' }, own);
}

/** Nobody else knows of it yet. */
async function endWith(node: RunningNode, error: unknown): Promise<never> {
  await node.kill();
  throw error;
}

interface Stay {
  readonly orders: number;
  readonly minutes: number;
  /** Purchases a second. */
  readonly rate: number;
}

async function leftOpen(
  browser: Browser,
  { orders, minutes, rate }: Stay,
  { start, folder, print, progress }: ConsoleEnvironment,
): Promise<boolean> {
  const violations = new Violations();
  const generator = LoadGenerator.start(1);
  const node = await start({ dataDir: `${folder}/left-open`, flags: ['--transport', 'uws'] });
  try {
    const stage = await Stage.open(node, generator, { seed: 1, violations });
    await fill(stage, { progress }, { orders, connections: CONNECTIONS });
    print(`${stage.audit.orders} orders, nobody buys\n${await openings(browser, stage)}`);
    if (minutes > 0) await stay(browser, stage, { minutes, rate, print });
    await stage.compare();
  } finally {
    await node.kill();
    await generator.stop();
  }
  print(`check: ${violations.count} violations\n${violations.lines().join('\n')}`);
  return violations.count === 0;
}

async function openings(browser: Browser, { node }: Stage): Promise<string> {
  const overview: number[] = [];
  const listing: number[] = [];
  for (let opened = 0; opened < OPENINGS; opened += 1) {
    const console = await OpenConsole.open(browser, node);
    overview.push(console.drawnMs);
    listing.push(await console.show('#/orders', 'Orders'));
    await console.close();
  }
  return textTable(
    [`median of ${OPENINGS}`, 'ms'],
    [
      ['the address opened, until the overview is drawn', median(overview).toFixed(0)],
      ['from there to the first page of orders', median(listing).toFixed(0)],
    ],
  );
}

/** A minute is a window of its own: what an hour answers is more than the books are read from at once. */
async function stay(
  browser: Browser,
  stage: Stage,
  { minutes, rate, print }: Omit<Stay, 'orders'> & { readonly print: (text: string) => void },
): Promise<void> {
  const console = await OpenConsole.open(browser, stage.node);
  const plan = { name: 'buyers', connections: CONNECTIONS, products: catalog, choice: 'random' } as const;
  const lane = { ...plan, copies: 1, accounts: stage.world.customers, perSecond: rate };
  const span = { kind: 'timed', warmupMs: WARMUP_MS, measureMs: MINUTE_MS } as const;
  const rows: string[][] = [];
  let requestsBefore = 0;
  for (let minute = 1; minute <= minutes; minute += 1) {
    await stage.stockUp(catalog, (rate * (WARMUP_MS + MINUTE_MS) * SPARE_STOCK) / 1_000);
    const { window } = await stage.run('open-loop', { lanes: [{ plan: lane, refusals: [] }], span }, true);
    const { heapBytes, elements, requests } = await console.figures();
    rows.push([
      String(minute),
      String(Math.round(window.lanes[0]?.answersPerSecond ?? Number.NaN)),
      (heapBytes / 1024 ** 2).toFixed(1),
      String(elements),
      String(requests - requestsBefore),
    ]);
    requestsBefore = requests;
  }
  await console.close();
  const head = ['minute', 'purchases/s', 'MiB of objects', 'elements', 'requests'];
  print(`a console left open beside purchases\n${textTable(head, rows)}`);
}
