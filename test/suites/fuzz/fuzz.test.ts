/**
 * Whatever bytes come in, a node neither crashes nor holds a connection open, and every request that is valid
 * HTTP gets the envelope. Requests are changed in ways that keep them valid, or damaged, and cut up over TCP
 * segments; whether one is valid is known from how it was made, not from the answer.
 *
 * PURSER_TEST_ROUNDS sets another number of requests on each transport, and PURSER_TEST_SEED repeats a run's.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { verifyDataFolder } from '../../../src/persistence/verify.ts';
import { BuyerClient } from '../../support/buyer-client.ts';
import { type PurserProcess, startPurser } from '../../support/nodes/purser-process.ts';
import { withoutTransport } from '../../support/nodes/uws-binary.ts';
import { OperatorClient, ok } from '../../support/operator-client.ts';
import { randomFromEnvironment, roundsOr } from '../../support/random.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { FuzzRun } from './fuzz-run.ts';
import type { Known } from './valid-requests.ts';

const REQUESTS = roundsOr(10_000);

async function setTheStage(server: PurserProcess): Promise<Known> {
  const operator = new OperatorClient(server.operatorUrl, server.operatorToken);
  const { accountId = 0 } = await ok(operator.createAccount({ name: 'fuzz', rateLimitPerMinute: null }));
  await ok(operator.credit(accountId, 100_000, 'first deposit'));
  const { apiKey = '' } = await ok(operator.issueKey(accountId));
  const { productId = 0 } = await ok(operator.createProduct({ name: 'p', priceUsdt: 3.5 }));
  const items = Array.from({ length: 5_000 }, (_, i) => `item ${i}`);
  await ok(operator.addStock(productId, items));
  const buyers = new BuyerClient(server.buyerUrl);
  const { body } = await buyers.purchase(apiKey, 'first', { productId, expectedPriceUsdt: 3.5 });
  buyers.close();
  return { apiKey, productId, orderId: body.orderId ?? 0 };
}

describe('a node under any requests', { concurrency: true, timeout: 20 * 60_000 }, () => {
  for (const transport of ['uws', 'node']) {
    test(`answers the valid ones and bears the others (--transport ${transport})`, {
      skip: withoutTransport(transport),
    }, async (t) => {
      const { seed } = randomFromEnvironment();
      const folder = await createTemporaryFolder('fuzz');
      t.after(() => folder.remove());
      const server = await startPurser({ dataDir: folder.path, flags: ['--transport', transport] });
      t.after(() => server.kill());
      const known = await setTheStage(server);
      const port = Number(new URL(server.buyerUrl).port);
      const run = new FuzzRun({ port, transport, known, seed, requests: REQUESTS });
      const figures = await Promise.race([
        run.run(),
        server.exited.then((exit) => {
          throw new Error(`seed ${seed}: the node exited (${JSON.stringify(exit)})\n${server.output()}`);
        }),
      ]);
      const { failures, statuses, ...counts } = figures;
      t.diagnostic(
        `seed ${seed}, ${transport}: ${JSON.stringify({ ...counts, ...Object.fromEntries(statuses) })}`,
      );
      assert.deepEqual(failures, []);
      assert.ok(counts.sent === REQUESTS && counts.valid > REQUESTS / 2 && counts.waitedOut > 0);
      assert.ok((statuses.get(201) ?? 0) > REQUESTS / 50, 'too few requests were purchases that succeed');
      assert.doesNotMatch(server.output(), /a request failed/);
      assert.equal(await server.stop(), 0);
      const lines: string[] = [];
      assert.ok(await verifyDataFolder(folder.path, (line) => lines.push(line)), lines.join('\n'));
    });
  }
});
