/**
 * A disk that fills up under load of all kinds, and has room again later (DESIGN.md §5): purchases answer 500 and charge
 * nothing, reads go on, and when there is room everything goes on without a restart; and a server that is killed while its
 * disk is full has lost nothing.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { randomFromEnvironment } from '../../../support/random.ts';
import { mountSmallDisk, type SmallDisk } from '../../../support/small-disk.ts';
import { createTemporaryFolder } from '../../../support/temporary-folder.ts';
import { audit, inParallel } from '../shop/audit.ts';
import { type Attempt, Ledger, send } from '../shop/ledger.ts';
import { buyAgain, Load, newAttempt, type Pace, subscribe, WEBHOOK_FLAGS } from '../shop/load.ts';
import { type ServerUnderTest, startServer } from '../shop/server-under-test.ts';
import { assertSound } from '../shop/sound-folder.ts';
import { setStage } from '../shop/stage.ts';

const diskMegabytes = 96;
/** As many refusals in a row as show that no page was left somewhere. */
const refusalsInARow = 40;
/** Far more purchases than fit in what a database keeps free inside its files. */
const mostPurchases = 60_000;

export interface Fillings {
  /** After several there is another one, and a kill amid it. */
  readonly fillings: number;
  /** The stock of each product. */
  readonly stock: number;
  readonly pace: Pace;
}

export async function fillDisk(t: TestContext, { fillings, stock, pace }: Fillings): Promise<void> {
  t.diagnostic(`seed ${randomFromEnvironment().seed}`);
  const folder = await createTemporaryFolder('full-disk');
  const disk = mountSmallDisk(folder.path, diskMegabytes);
  const dataDir = join(disk.path, 'data');
  const ledger = new Ledger();
  let server = await startServer({ dataDir, flags: WEBHOOK_FLAGS });
  t.after(async () => {
    await server.kill();
    disk.unmount();
    await folder.remove();
  });
  await setStage(server, ledger, stock);
  await subscribe(server, ledger);

  const load = await Load.begin(t, server, ledger, pace);
  for (let filling = 1; filling <= fillings; filling += 1) {
    const refused = await buyUntilRefused(server, ledger, disk);
    t.diagnostic(`${ledger.orders().length} orders until the disk was full; ${load.counts}`);
    await assertReadsGoOn(server, ledger);
    const signIn = await server.operator.json('POST', '/sessions', { token: server.process.operatorToken });
    assert.match(signIn.text, /The disk of the data folder is full.*Make room there/);
    disk.free();
    await buyAgain(server, ledger);
    for (const attempt of refused) {
      const reply = await send(server.buyers, attempt);
      assert.equal(reply.status, 201, `the key of a purchase that was answered 500: ${reply.text}`);
    }
  }
  await load.end();
  await audit(server, ledger);

  if (fillings > 1) {
    await buyUntilRefused(server, ledger, disk);
    await server.kill();
    disk.free();
    await assertSound(dataDir);
    server = await startServer({ dataDir });
    await audit(server, ledger);
    await buyAgain(server, ledger);
  }
  await server.stop();
  await assertSound(dataDir);
}

/** Buys with the disk kept full, until nothing but 500 comes. Returns the attempts that were answered 500. */
async function buyUntilRefused(server: ServerUnderTest, ledger: Ledger, disk: SmallDisk): Promise<Attempt[]> {
  const refused: Attempt[] = [];
  let inARow = 0;
  while (inARow < refusalsInARow) {
    assert.ok(ledger.attempts.length < mostPurchases, 'the disk is full, and still purchases succeed');
    disk.fill();
    const attempts = Array.from({ length: 8 }, () => newAttempt(ledger));
    await inParallel(attempts, async (attempt) => {
      const reply = await send(server.buyers, attempt);
      if (reply.status === 201) {
        inARow = 0;
        return;
      }
      assert.deepEqual([reply.status, reply.body.error], [500, 'INTERNAL_ERROR'], reply.text);
      assert.equal(attempt.answer, undefined);
      refused.push(attempt);
      inARow += 1;
    });
  }
  return refused;
}

/** GETs answer from what is durable: every acknowledged order, and balances that fit them. */
async function assertReadsGoOn(server: ServerUnderTest, ledger: Ledger): Promise<void> {
  assert.equal((await server.buyers.raw('GET', '/health')).status, 200);
  await inParallel(ledger.orders().slice(-500), async (attempt) => {
    const { buyer, answer } = attempt;
    assert.equal((await send(server.buyers, attempt)).status, 201, 'a purchase that is repeated');
    const reply = await server.buyers.order(buyer.apiKey, answer?.body.orderId ?? 0);
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(reply.body.delivery, answer?.body.delivery);
  });
  for (const buyer of ledger.buyers) {
    const reply = await server.buyers.balance(buyer.apiKey);
    assert.equal(reply.status, 200, reply.text);
    const expectedCents = ledger.creditedCents(buyer) - ledger.spentCents(buyer);
    assert.equal(reply.body.balanceUsdt, expectedCents / 100, 'a refused purchase was charged');
    const catalog = await server.buyers.products(buyer.apiKey);
    assert.equal(catalog.status, 200, catalog.text);
  }
}
