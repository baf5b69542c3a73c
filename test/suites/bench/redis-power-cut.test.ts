/**
 * What Redis with `everysec` has acknowledged and a power cut takes away. After kill -9 alone it would all be there,
 * because the system keeps what was written; `afterPowerCut` takes away what was not synced.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { peerSystems } from '../../../bench/peers/peers.ts';
import type { RunningNode } from '../../../bench/running-node.ts';
import { BuyerClient } from '../../support/buyer-client.ts';
import { OperatorClient, ok } from '../../support/operator-client.ts';
import { isLongRun } from '../../support/random.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

const priceUsdt = 1;
const purchases = 50;
/** Redis syncs once a second. */
const untilSyncedMs = 1_500;

const [everysec, always] = ['redis-everysec', 'redis-always'].map((name) =>
  peerSystems.find((system) => system.name === name),
);
const skip = (await everysec?.missing()) ?? (isLongRun() ? false : 'it waits for syncs: only in a long run');

test('a power cut takes the purchases since the last sync, and nothing older', { skip }, async () => {
  assert.ok(everysec?.afterPowerCut);
  const folder = await createTemporaryFolder('redis');
  const options = { folder: folder.path, processes: 1, broken: false, watchSyncs: true };
  let node: RunningNode = await everysec.start(options);
  try {
    const operator = new OperatorClient(node.operatorUrl, node.operatorToken);
    const { accountId = 0 } = await ok(operator.createAccount({ name: 'A buyer' }));
    await ok(operator.credit(accountId, 1_000, 'start'));
    const { apiKey = '' } = await ok(operator.issueKey(accountId));
    const { productId = 0 } = await ok(operator.createProduct({ name: 'A product', priceUsdt }));
    await ok(
      operator.addStock(
        productId,
        Array.from({ length: 1_000 }, (_, index) => `item ${index}`),
      ),
    );
    await delay(untilSyncedMs);

    const bought: number[] = [];
    let lostBytes = 0;
    // The kill may have come right after a sync; hardly three times.
    for (let attempt = 0; attempt < 3 && lostBytes === 0; attempt += 1) {
      const buyer = new BuyerClient(node.buyerUrl);
      for (let count = 0; count < purchases; count += 1) {
        const key = `purchase ${bought.length}`;
        const { status, body } = await buyer.purchase(apiKey, key, {
          productId,
          expectedPriceUsdt: priceUsdt,
        });
        assert.equal(status, 201);
        bought.push(body.orderId ?? -1);
      }
      buyer.close();
      await node.kill();
      lostBytes = await everysec.afterPowerCut(folder.path);
      assert.equal(await everysec.afterPowerCut(folder.path), 0, 'what is left was synced');
      node = await everysec.start(options);
    }

    const buyer = new BuyerClient(node.buyerUrl);
    const kept = await Promise.all(bought.map(async (id) => (await buyer.order(apiKey, id)).status === 200));
    const lost = kept.indexOf(false);
    assert.ok(lost >= 0, `acknowledged purchases are gone with ${lostBytes} bytes`);
    assert.ok(!kept.slice(lost).includes(true), 'what is left is the beginning of what was bought');
    assert.equal((await buyer.balance(apiKey)).body.balanceUsdt, 1_000 - lost, 'and each purchase is whole');
    buyer.close();
  } finally {
    await node.kill();
    await folder.remove();
  }
});

test('a configuration that syncs before it answers has nothing for a power cut to take', () => {
  assert.equal(always?.durable, true);
  assert.equal(always?.afterPowerCut, undefined);
});
