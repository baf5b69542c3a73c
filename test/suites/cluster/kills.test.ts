/**
 * A shop of three nodes whose leader is killed, or stands still and goes on, under load: what was acknowledged is there,
 * once; a follower sells on; receivers hear of every order, under one id; and all folders say the same.
 *
 * The short form kills 2 leaders, the long one (`npm run test:cluster`) 100; PURSER_TEST_ROUNDS sets another number.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { whyNoRig } from '../../support/postgres-rig.ts';
import { isLongRun, randomFromEnvironment } from '../../support/random.ts';
import { stopProcess } from '../../support/stopped-process.ts';
import { ShopUnderFire } from './shop-under-fire.ts';

const KILLS = Number(process.env.PURSER_TEST_ROUNDS ?? (isLongRun() ? 100 : 2));
/** Long enough for another node to lead. */
const STILL_MS = isLongRun() ? 30_000 : 5_000;
const OLDER = 100;

describe('a shop of three nodes', { skip: (await whyNoRig()) ?? false }, () => {
  const random = randomFromEnvironment();
  let shop: ShopUnderFire;
  before(async () => {
    shop = await ShopUnderFire.open(random);
  });
  after(() => shop?.close());

  const timeout = 240_000 + KILLS * 60_000;
  test(`${KILLS} leaders are killed under load`, { timeout }, async (t) => {
    t.diagnostic(`seed ${random.seed}`);
    const tookMs: number[] = [];
    for (let kill = 1; kill <= KILLS; kill += 1) {
      let killed = '';
      const known = shop.ledger.attempts.length;
      const young = await shop.underLoad(async (leader) => {
        killed = leader;
        await shop.nodes.kill(leader);
      });
      tookMs.push(await shop.untilSold());
      await shop.audit([...young, ...random.sample(shop.ledger.attempts.slice(0, known), OLDER)]);
      await shop.nodes.start(killed);
    }
    await shop.auditEvents();
    t.diagnostic(`until somebody sold again, in seconds: ${histogram(tookMs)}`);
  });

  test(`a leader that stands still for ${STILL_MS / 1_000} s answers nothing afterwards`, {
    timeout,
  }, async () => {
    let still = '';
    const young = await shop.underLoad(async (leader) => {
      still = leader;
      const { pid, exited } = await shop.nodes.letEnd(leader);
      await stopProcess(pid);
      await Promise.all([shop.untilSold(), delay(STILL_MS)]);
      process.kill(pid, 'SIGCONT');
      const { code } = await exited;
      assert.ok(code !== 0 && code !== null, `it ended by itself with ${code}`);
    });
    await shop.audit(young);
    await shop.nodes.start(still);
    await shop.auditEvents();
  });

  test('all folders have the same state, and are what the log says', { timeout: 120_000 }, async (t) => {
    await shop.audit();
    shop.auditOutside();
    t.diagnostic(await shop.verify());
  });
});

/** How many lie in each half of a second, the median and the worst. */
function histogram(tookMs: readonly number[]): string {
  const sorted = [...tookMs].sort((a, b) => a - b);
  const counts = new Map<number, number>();
  for (const ms of sorted)
    counts.set(Math.floor(ms / 500) / 2, (counts.get(Math.floor(ms / 500) / 2) ?? 0) + 1);
  const bars = [...counts].map(([from, count]) => `${from.toFixed(1)}: ${count}`);
  const seconds = (ms = 0) => (ms / 1_000).toFixed(2);
  return `${bars.join(', ')}; median ${seconds(sorted[Math.floor(sorted.length / 2)])}, worst ${seconds(sorted.at(-1))}`;
}
