/**
 * Prometheus scrapes a node under load for five minutes, and the shipped alert rules fire when a receiver of webhooks dies,
 * when stock runs low, and when the disk fills, and stop when all is well again.
 *
 *     npm run test:monitoring [-- --minutes 5]
 *
 * Needs Linux, root (for a disk that fills), prometheus and promtool; without them it says so and exits with 2. The rules
 * are a copy of the shipped ones with shorter times, since those of the originals are up to a day; the thresholds are the
 * same. That the originals are valid is checked as well.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { whyNoSmallDisk } from '../crash/small-disk.ts';
import { eventually } from '../support/eventually.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { MonitoredShop } from './monitored-shop.ts';
import { missingPrograms, Prometheus, promtool } from './prometheus.ts';

const RULES = join(repositoryRoot(), 'docs', 'monitoring', 'alert-rules.yml');
/** Of the copy: how long windows and conditions are there. */
const SHORTER: readonly (readonly [RegExp, string])[] = [
  [/^( +for: ).+$/gm, '$15s'],
  [/\[(5m|15m)\]/g, '[20s]'],
  [/\[(1h|6h|1d)\]/g, '[40s]'],
];
const LOAD = { workers: 4, pauseMs: 20 };
const CALM_MS = 60_000;
const PATIENCE_MS = 90_000;
/** What is left of the disk when it is nearly full. */
const NEARLY = 0.05;

interface Trouble {
  readonly what: string;
  /** All of them must fire. */
  readonly alerts: readonly string[];
  readonly cause: (shop: MonitoredShop) => Promise<void> | void;
  /** Called again and again until they do. */
  readonly goOn?: (shop: MonitoredShop) => void;
  readonly end: (shop: MonitoredShop) => Promise<void> | void;
}

const TROUBLES: readonly Trouble[] = [
  {
    what: 'a receiver dies',
    alerts: ['PurserReceiverFails'],
    cause: (shop) => shop.killReceiver(),
    end: (shop) => shop.reviveReceiver(),
  },
  {
    what: 'stock runs low',
    alerts: ['PurserStockLow', 'PurserStockRunsOut'],
    cause: (shop) => shop.sellOutTo(8),
    end: (shop) => shop.restock(),
  },
  {
    what: 'the disk is nearly full',
    alerts: ['PurserDiskNearlyFull'],
    cause: (shop) => shop.takeRoom(NEARLY),
    end: () => {},
  },
  {
    what: 'the disk is full',
    alerts: ['PurserDiskFull', 'PurserNotReady', 'PurserErrors'],
    cause: (shop) => void shop.disk.fill(),
    goOn: (shop) => void shop.disk.fill(),
    end: (shop) => shop.giveRoomBack(),
  },
];

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { minutes: { type: 'string', default: '5' } } });
  const wants = whatIsMissing();
  if (wants !== undefined) {
    console.error(wants);
    return 2;
  }
  console.log(promtool(['check', 'rules', RULES]));
  const folder = await createTemporaryFolder('monitoring');
  try {
    await watch(folder.path, Number(values.minutes) * 60_000);
    return 0;
  } finally {
    await folder.remove();
  }
}

function whatIsMissing(): string | undefined {
  const noDisk = whyNoSmallDisk();
  if (noDisk !== undefined) return `This test fills a disk: ${noDisk}.`;
  const programs = missingPrograms();
  if (programs.length === 0) return undefined;
  return `${programs.join(' and ')} not found: install them, on Debian with: apt-get install --no-install-recommends prometheus`;
}

async function watch(folder: string, lastingMs: number): Promise<void> {
  const beganMs = performance.now();
  const shop = await MonitoredShop.open(folder);
  const rulesFile = join(folder, 'rules.yml');
  writeFileSync(rulesFile, shorter(readFileSync(RULES, 'utf8')));
  const { host: target } = new URL(shop.server.process.operatorUrl);
  const token = await shop.scraperToken();
  const prometheus = await Prometheus.start({ folder: join(folder, 'prometheus'), target, token, rulesFile });
  try {
    shop.startLoad(LOAD);
    await delay(CALM_MS);
    await assertCalm(prometheus);
    for (const trouble of TROUBLES) await befall(shop, prometheus, trouble);
    await eventually('nothing fires any more', async () => (await prometheus.alerts()).length === 0, PATIENCE_MS);
    console.log(`${seconds(beganMs)} all is well again: nothing fires`);
    await delay(Math.max(0, lastingMs - (performance.now() - beganMs)));
    await tellScrapes(prometheus, performance.now() - beganMs);
    promtool(['check', 'metrics'], await shop.metrics());
    console.log('promtool check metrics: clean');
    console.log(`purchases by status: ${JSON.stringify(Object.fromEntries(shop.answers))}`);
  } finally {
    await prometheus.stop();
    await shop.close();
  }
}

function shorter(rules: string): string {
  return SHORTER.reduce((text, [long, short]) => text.replaceAll(long, short), rules);
}

/** Under load, and with nothing wrong, no rule has anything to say. */
async function assertCalm(prometheus: Prometheus): Promise<void> {
  const alerts = await prometheus.alerts();
  if (alerts.length > 0) throw new Error(`nothing is wrong, and there are ${JSON.stringify(alerts)}`);
  const rate = await prometheus.value('sum(rate(purser_http_requests_total{status="2xx"}[30s]))');
  const p99 = await prometheus.value(
    'histogram_quantile(0.99, sum by (le) (rate(purser_http_request_duration_seconds_bucket{method="POST"}[30s])))',
  );
  console.log(`calm: ${rate?.toFixed(0)} answers/s, p99 ${((p99 ?? 0) * 1_000).toFixed(1)} ms, nothing fires`);
}

async function befall(shop: MonitoredShop, prometheus: Prometheus, trouble: Trouble): Promise<void> {
  const { what, alerts, cause, goOn, end } = trouble;
  const beganMs = performance.now();
  await cause(shop);
  const told = new Set<string>();
  await eventually(
    `${alerts.join(', ')} fire: ${what}`,
    async () => {
      goOn?.(shop);
      await delay(200);
      for (const { name, state, summary } of await prometheus.alerts()) {
        if (state !== 'firing' || told.has(name)) continue;
        told.add(name);
        console.log(`${seconds(beganMs)} after ${what}: ${name}: ${summary}`);
      }
      return alerts.every((name) => told.has(name));
    },
    PATIENCE_MS,
  );
  await end(shop);
}

async function tellScrapes(prometheus: Prometheus, lastedMs: number): Promise<void> {
  const window = `${Math.floor(lastedMs / 1_000)}s`;
  const scrapes = await prometheus.value(`count_over_time(up[${window}])`);
  const failed = await prometheus.value(`sum_over_time((1 - up)[${window}:1s])`);
  const tookS = await prometheus.value(`max_over_time(scrape_duration_seconds[${window}])`);
  const samples = await prometheus.value('scrape_samples_scraped');
  console.log(
    `${scrapes} scrapes in ${window}, ${failed} failed, the longest ${((tookS ?? 0) * 1_000).toFixed(0)} ms, ${samples} samples each`,
  );
  if (failed !== 0) throw new Error('a scrape failed');
}

function seconds(beganMs: number): string {
  return `${((performance.now() - beganMs) / 1_000).toFixed(0)} s`;
}
