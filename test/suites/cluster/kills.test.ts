/**
 * A shop of three nodes whose leader is killed, or stands still and goes on, under load: what was acknowledged is there,
 * once; a follower sells on; receivers hear of every order, under one id; and all folders say the same.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { whyNoRig } from '../../support/postgres-rig.ts';
import { randomFromEnvironment, roundsOr } from '../../support/random.ts';
import { stopProcess } from '../../support/stopped-process.ts';
import { ShopUnderFire } from './shop-under-fire.ts';

const KILLS = roundsOr(6);
const OLDER = 100;

describe('a shop of three nodes', { skip: (await whyNoRig()) ?? false }, () => {
  const random = randomFromEnvironment();
  let shop: ShopUnderFire;
  before(async () => {
    shop = await ShopUnderFire.open(random);
  });
  after(() => shop?.close());

  test(`${KILLS} leaders are killed under load`, async (t) => {
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
    const seconds = tookMs.map((ms) => (ms / 1_000).toFixed(1)).sort();
    t.diagnostic(`until somebody sold again, in seconds: ${seconds.join(', ')}`);
  });

  test('a leader that stands still until another one sells answers nothing afterwards', async () => {
    let still = '';
    const young = await shop.underLoad(async (leader) => {
      still = leader;
      const { pid, exited } = await shop.nodes.letEnd(leader);
      await stopProcess(pid);
      await shop.untilSold();
      process.kill(pid, 'SIGCONT');
      const { code } = await exited;
      assert.ok(code !== 0 && code !== null, `it ended by itself with ${code}`);
    });
    await shop.audit(young);
    await shop.nodes.start(still);
    await shop.auditEvents();
  });

  test('all folders have the same state, and are what the log says', async (t) => {
    await shop.audit();
    t.diagnostic(await shop.nodes.verify());
  });
});
