/**
 * Prometheus scrapes a node under load, and the shipped alert rules fire when a receiver of webhooks dies, when stock
 * runs low, and when the disk fills, and stop when all is well again; no scrape fails.
 *
 * Needs Linux, root (for a disk that fills), prometheus and promtool. The rules are a copy of the shipped ones with
 * shorter times, since those of the originals are up to a day; the thresholds are the same. That the originals are
 * valid is tested as well.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../../support/eventually.ts';
import { repositoryRoot } from '../../support/repository-root.ts';
import { whyNoSmallDisk } from '../../support/small-disk.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { MonitoredShop } from './monitored-shop.ts';
import { type FiringAlert, missingPrograms, Prometheus, promtool } from './prometheus.ts';

const RULES = join(repositoryRoot(), 'docs', 'monitoring', 'alert-rules.yml');
/** Changes of the copy: lengths of windows and conditions there. */
const SHORTER: readonly (readonly [RegExp, string])[] = [
  [/^( +for: ).+$/gm, '$13s'],
  [/\[(5m|15m)\]/g, '[10s]'],
  [/\[(1h|6h|1d)\]/g, '[20s]'],
];
/** As long as the longest window. */
const CALM_MS = 20_000;
const PATIENCE_MS = 90_000;
/** The free share of the disk when it is nearly full. */
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

const skip = whatIsMissing() ?? false;

test('the shipped rules are valid', { skip }, () => {
  promtool(['check', 'rules', RULES]);
});

test('nothing fires without a trouble, and each trouble has its alerts until it is over', {
  skip,
}, async (t) => {
  const undo: (() => unknown)[] = [];
  t.after(async () => {
    for (const each of undo.reverse()) await each();
  });
  const folder = await createTemporaryFolder('monitoring');
  undo.push(() => folder.remove());
  const shop = await MonitoredShop.open(folder.path, (each) => undo.push(each));
  const rulesFile = join(folder.path, 'rules.yml');
  writeFileSync(rulesFile, shorter(readFileSync(RULES, 'utf8')));
  const { host: target } = new URL(shop.server.process.operatorUrl);
  const token = await shop.scraperToken();
  const ofPrometheus = { folder: join(folder.path, 'prometheus'), target, token, rulesFile };
  const prometheus = await Prometheus.start(ofPrometheus);
  undo.push(() => prometheus.stop());
  const beganMs = performance.now();
  shop.startLoad();
  await delay(CALM_MS);
  assert.deepEqual(await alertsOfShop(prometheus), [], 'nothing is wrong');
  const rate = await prometheus.value('sum(rate(purser_http_requests_total{status="2xx"}[15s]))');
  assert.ok((rate ?? 0) > 1, `${rate} answers a second`);
  for (const trouble of TROUBLES) await befall(shop, prometheus, trouble);
  await eventually(
    'nothing fires any more',
    async () => (await alertsOfShop(prometheus)).length === 0,
    PATIENCE_MS,
  );
  const window = `${Math.floor((performance.now() - beganMs) / 1_000)}s`;
  assert.equal(await prometheus.value(`sum_over_time((1 - up)[${window}:1s])`), 0, 'no scrape failed');
  promtool(['check', 'metrics'], await shop.metrics());
});

/** Without those that say, truly, that this machine is busy with other tests. */
async function alertsOfShop(prometheus: Prometheus): Promise<FiringAlert[]> {
  return (await prometheus.alerts()).filter(({ name }) => !name.endsWith('Slow'));
}

function whatIsMissing(): string | undefined {
  const programs = missingPrograms();
  if (programs.length > 0) return `${programs.join(' and ')} not found: apt-get install prometheus`;
  return whyNoSmallDisk();
}

function shorter(rules: string): string {
  return SHORTER.reduce((text, [long, short]) => text.replaceAll(long, short), rules);
}

async function befall(
  shop: MonitoredShop,
  prometheus: Prometheus,
  { what, alerts, cause, goOn, end }: Trouble,
): Promise<void> {
  await cause(shop);
  await eventually(
    `${alerts.join(', ')} fire: ${what}`,
    async () => {
      goOn?.(shop);
      await delay(200);
      const firing = (await prometheus.alerts()).filter(({ state }) => state === 'firing');
      return alerts.every((alert) => firing.some(({ name }) => name === alert));
    },
    PATIENCE_MS,
  );
  await end(shop);
}
