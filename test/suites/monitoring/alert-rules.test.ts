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
import { eventually } from '../../support/eventually.ts';
import { repositoryRoot } from '../../support/repository-root.ts';
import { whyNoSmallDisk } from '../../support/small-disk.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
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
  const undo: (() => unknown)[] = [];
  try {
    const folder = await createTemporaryFolder('monitoring');
    undo.push(() => folder.remove());
    await watch(folder.path, Number(values.minutes) * 60_000, (each) => undo.push(each));
    return 0;
  } catch (error) {
    console.error(error);
    return 1;
  } finally {
    for (const each of undo.reverse()) await each();
  }
}

function whatIsMissing(): string | undefined {
  const noDisk = whyNoSmallDisk();
  if (noDisk !== undefined) return `This test fills a disk: ${noDisk}.`;
  const programs = missingPrograms();
  if (programs.length === 0) return undefined;
  return `${programs.join(' and ')} not found: install them, on Debian with: apt-get install --no-install-recommends prometheus`;
}

async function watch(folder: string, lastingMs: number, onEnd: (undo: () => unknown) => void): Promise<void> {
  const shop = await MonitoredShop.open(folder, onEnd);
  const rulesFile = join(folder, 'rules.yml');
  writeFileSync(rulesFile, shorter(readFileSync(RULES, 'utf8')));
  const { host: target } = new URL(shop.server.process.operatorUrl);
  const token = await shop.scraperToken();
  const prometheus = await Prometheus.start({ folder: join(folder, 'prometheus'), target, token, rulesFile });
  onEnd(() => prometheus.stop());
  const beganMs = performance.now();
  shop.startLoad(LOAD);
  await delay(CALM_MS);
  await assertCalm(prometheus);
  let firing: readonly string[] = [];
  for (const trouble of TROUBLES) firing = await befall(shop, prometheus, trouble, firing);
  await eventually(
    'nothing fires any more',
    async () => (await prometheus.alerts()).length === 0,
    PATIENCE_MS,
  );
  console.log(`${seconds(beganMs)} all is well again: nothing fires`);
  await delay(Math.max(0, lastingMs - (performance.now() - beganMs)));
  await tellScrapes(prometheus, performance.now() - beganMs);
  promtool(['check', 'metrics'], await shop.metrics());
  console.log('promtool check metrics: clean');
  console.log(`purchases by status: ${JSON.stringify(Object.fromEntries(shop.answers))}`);
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
  console.log(
    `calm: ${rate?.toFixed(0)} answers/s, p99 ${((p99 ?? 0) * 1_000).toFixed(1)} ms, nothing fires`,
  );
}

/** `before` fired already. Returns what fires at its end. */
async function befall(
  shop: MonitoredShop,
  prometheus: Prometheus,
  { what, alerts, cause, goOn, end }: Trouble,
  before: readonly string[],
): Promise<readonly string[]> {
  const beganMs = performance.now();
  await cause(shop);
  let firing = before;
  await eventually(
    `${alerts.join(', ')} fire: ${what}`,
    async () => {
      goOn?.(shop);
      await delay(200);
      const now = (await prometheus.alerts()).filter(({ state }) => state === 'firing');
      for (const { name, summary } of now) {
        if (!firing.includes(name)) console.log(`${seconds(beganMs)} after ${what}: ${name}: ${summary}`);
      }
      firing = now.map(({ name }) => name);
      return alerts.every((name) => firing.includes(name));
    },
    PATIENCE_MS,
  );
  await end(shop);
  return firing;
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
