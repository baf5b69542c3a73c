/**
 * Writes that fail: once, for want of room, wherever they hit, and nobody but whoever waited for them hears of it; or
 * for good, and the node ends by itself with a line that says why; and a disk that fills up and has room again, which no
 * library may take amiss. What was acknowledged is there in any case.
 *
 * The short form fails a write of each file once, the long one a hundred writes (PURSER_TEST_LONG); PURSER_TEST_ROUNDS
 * sets another number.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { jsonLines } from '../../support/json-lines.ts';
import { isLongRun, randomFromEnvironment } from '../../support/random.ts';
import { mountSmallDisk, whyNoSmallDisk } from '../../support/small-disk.ts';
import { SMALL_RUNS } from '../../support/small-runs.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { audit } from './audit.ts';
import { EIO, ENOSPC, FailingWrites, whyNoFailingWrites } from './failing-writes.ts';
import { Ledger, send } from './ledger.ts';
import { type ServerUnderTest, startServer } from './server-under-test.ts';
import { assertSound } from './sound-folder.ts';
import { addProduct, setStage } from './stage.ts';
import { tunedNode } from './tuned-node.ts';

const rounds = Number(process.env.PURSER_TEST_ROUNDS ?? (isLongRun() ? 100 : 6));
const fillings = isLongRun() ? 30 : 1;
/** How long it is full each time. */
const fullMs = 2_000;
const brokenDisks = isLongRun() ? 20 : 2;
const skip = whyNoFailingWrites() ?? false;
const flags = ['--webhook-allow', '127.0.0.0/8'];
/** With how many writes and syncs may pass before the one that fails: fewer than come within `writtenMs`. */
const files = [
  ['journal-', 9],
  ['checkpoint.mdb', 3],
  // Its run files.
  ['checkpoint-', 3],
  ['stock.mdb', 9],
  ['webhooks.mdb', 9],
  ['files/', 9],
] as const;
/** More of each product than is bought. */
const stock = 1_000 + 200 * rounds;
/** A purchase every so often, and so many bots that read the feed. */
const [purchaseEveryMs, bots] = isLongRun() ? [4, 3] : [10, 1];
/** How soon purchases must succeed again, and a node whose disk is broken must be gone: on a busy machine, too. */
const recoveryMs = 30_000;
const endMs = 30_000;
/** The checkpoint is the slowest writer: by itself it would wait 5 s for more to fold. */
const foldIntervalMs = 500;
/** How long a write may take to come that is to fail: the machine's affair. */
const writtenMs = 12_000;

describe('a write that fails', { skip }, () => {
  const random = randomFromEnvironment();
  const ledger = new Ledger();
  let folder: TemporaryFolder;
  let dataDir: string;
  let writes: FailingWrites;
  let server: ServerUnderTest;

  before(async () => {
    folder = await createTemporaryFolder('failing-disk');
    dataDir = join(folder.path, 'data');
    writes = FailingWrites.make(folder.path);
    await start();
    await setStage(server, ledger, stock);
    await subscribe(server, ledger);
  });
  after(async () => {
    await server.kill();
    await folder.remove();
  });

  async function start(): Promise<void> {
    const { entry, env } = tunedNode({ foldIntervalMs, compaction: SMALL_RUNS });
    server = await startServer({ dataDir, entry, env: { ...env, ...writes.env }, flags });
  }

  test(`after each of ${rounds} that failed once, purchases succeed within ${recoveryMs} ms`, {
    timeout: 120_000 + rounds * 30_000,
  }, async (t) => {
    t.diagnostic(`seed ${random.seed}`);
    const load = await Load.begin(t, server, ledger);
    for (let round = 0; round < rounds; round += 1) {
      const [pathPart, mostPassed] = files[round % files.length] ?? files[0];
      const pass = random.between(0, mostPassed);
      writes.begin({ pathPart, errno: ENOSPC, pass, times: 1 });
      const from = load.counts();
      await waitFor(() => writes.failed > 0, writtenMs);
      const failed = writes.failed;
      writes.end();
      const waitedMs = await buyAgain(server, ledger);
      // The main thread reads webhooks.mdb beside the thread whose write failed.
      const deliveries = await server.operator.request(
        'GET',
        `/webhooks/${ledger.buyers[0]?.accountId}/deliveries`,
        {},
      );
      assert.equal(deliveries.status, 200, deliveries.text);
      const { purchases, refused } = load.countsSince(from);
      t.diagnostic(
        `${pathPart} after ${pass}: ${failed} failed, ${refused} of ${purchases} refused, ${waitedMs} ms`,
      );
      assert.equal(failed, 1, 'no write failed');
    }
    await load.end();
    jsonLines(server.process.output());
    await audit(server, ledger);
    await server.stop();
    await assertSound(dataDir);
    await start();
    await audit(server, ledger);
  });

  test(`for good ends the node, ${brokenDisks} times over`, {
    timeout: 60_000 + brokenDisks * 30_000,
  }, async (t) => {
    for (let count = 0; count < brokenDisks; count += 1) {
      const load = await Load.begin(t, server, ledger);
      // Without the last: what is amiss with a buyer's file is told whoever uploads it.
      const [pathPart, mostPassed] = files[count % (files.length - 1)] ?? files[0];
      writes.begin({ pathPart, errno: EIO, pass: random.between(0, mostPassed) });
      load.expectTheEnd();
      await waitFor(() => writes.failed > 0, writtenMs);
      const fromMs = performance.now();
      const exit = await Promise.race([server.process.exited, delay(endMs, undefined, { ref: false })]);
      t.diagnostic(`${pathPart}: ${JSON.stringify(exit)} after ${Math.round(performance.now() - fromMs)} ms`);
      writes.end();
      assert.deepEqual(exit, { code: 1, signal: null }, server.process.output());
      const last = jsonLines(server.process.output()).filter(({ level }) => level === 60);
      assert.equal(last.length, 1, server.process.output());
      assert.match(
        String(last[0]?.msg),
        /^fatal: stopping, because durability can't be guaranteed: .*the disk failed/,
      );
      assert.equal(JSON.stringify(last[0]).includes('stack'), false);
      await load.end();
      await start();
      await audit(server, ledger);
    }
    await server.stop();
    await assertSound(dataDir);
  });
});

test(`a disk that is full ${fillings} times, under load of all kinds, ends no process`, {
  skip: whyNoSmallDisk() ?? false,
  timeout: 120_000 + fillings * 15_000,
}, async (t) => {
  const folder = await createTemporaryFolder('filling-disk');
  const disk = mountSmallDisk(folder.path, 128);
  const dataDir = join(disk.path, 'data');
  const ledger = new Ledger();
  let server = await startServer({ dataDir, flags });
  t.after(async () => {
    await server.kill();
    disk.unmount();
    await folder.remove();
  });
  await setStage(server, ledger, 1_000 + 200 * fillings);
  await subscribe(server, ledger);
  const load = await Load.begin(t, server, ledger);
  for (let filling = 0; filling < fillings; filling += 1) {
    const from = load.counts();
    const untilMs = performance.now() + fullMs;
    while (performance.now() < untilMs) {
      disk.fill();
      await delay(20);
    }
    disk.free();
    const waitedMs = await buyAgain(server, ledger);
    const { purchases, refused } = load.countsSince(from);
    t.diagnostic(`${refused} of ${purchases} refused, ${waitedMs} ms`);
  }
  await load.end();
  jsonLines(server.process.output());
  await audit(server, ledger);
  await server.stop();
  await assertSound(dataDir);
  server = await startServer({ dataDir });
  await audit(server, ledger);
});

/** To what nobody receives: events come up, and their attempts fail, so that there is something to write. */
async function subscribe(server: ServerUnderTest, ledger: Ledger): Promise<void> {
  const reply = await server.buyers.setWebhook(ledger.buyers[0]?.apiKey ?? '', {
    url: 'https://127.0.0.1:8443/',
    events: ['order.completed', 'stock.changed'],
  });
  assert.equal(reply.status, 200, reply.text);
}

async function waitFor(isSo: () => boolean, patienceMs: number): Promise<void> {
  const untilMs = performance.now() + patienceMs;
  while (!isSo() && performance.now() < untilMs) await delay(5);
}

async function buyAgain(server: ServerUnderTest, ledger: Ledger): Promise<number> {
  const fromMs = performance.now();
  const attempt = newAttempt(ledger);
  for (;;) {
    const reply = await send(server.buyers, attempt);
    const waitedMs = Math.round(performance.now() - fromMs);
    if (reply.status === 201) return waitedMs;
    assert.equal(reply.status, 500, reply.text);
    assert.ok(waitedMs < recoveryMs, 'purchases still fail');
    await delay(50);
  }
}

function newAttempt(ledger: Ledger) {
  const [buyer] = ledger.buyers;
  const product = ledger.products[ledger.attempts.length % ledger.products.length];
  assert.ok(buyer !== undefined && product !== undefined);
  const body = { productId: product.productId, expectedPriceUsdt: product.priceCents / 100 };
  return ledger.attempt(buyer, randomUUID(), body);
}

/**
 * What writes to all files, slowly: purchases, accounts, uploads, withdrawals. Each is done or answered 500. Bots read
 * the feed meanwhile, so that the journal is being read when a write to it fails.
 */
class Load {
  #purchases = 0;
  #refused = 0;
  #isOver = false;
  #isEndExpected = false;
  readonly #running: Promise<void>[];

  private constructor(server: ServerUnderTest, ledger: Ledger, shelf: number, file: number) {
    const { operator } = server;
    let item = 0;
    const items = () => Array.from({ length: 3 }, () => `${shelf} ${item++}`);
    this.#running = [
      this.#repeat(purchaseEveryMs, async () => {
        const { status } = await send(server.buyers, newAttempt(ledger));
        this.#purchases += 1;
        return status;
      }),
      this.#repeat(20, async () => (await operator.createAccount({ name: 'one more' })).status),
      this.#repeat(20, async () => (await operator.addStock(shelf, items())).status),
      this.#repeat(20, async () => (await operator.withdrawStock(shelf, 2)).status),
      this.#repeat(
        20,
        async () => (await operator.setFile(file, Buffer.from(randomUUID()), 'text/plain')).status,
      ),
      ...Array.from({ length: bots }, () => this.#follow(server)),
    ];
  }

  /** Ends with the test `t`, if not before. */
  static async begin(t: TestContext, server: ServerUnderTest, ledger: Ledger): Promise<Load> {
    const { productId: shelf } = await addProduct(server, 5);
    const created = await server.operator.createProduct({
      name: 'a file',
      description: '',
      instructions: '',
      type: 'file',
      priceUsdt: 1,
    });
    assert.ok(created.body.productId !== undefined, created.text);
    const load = new Load(server, ledger, shelf, created.body.productId);
    t.after(() => {
      load.#isOver = true;
    });
    return load;
  }

  /** From now on the server may be gone. */
  expectTheEnd(): void {
    this.#isEndExpected = true;
  }

  counts(): { readonly purchases: number; readonly refused: number } {
    return { purchases: this.#purchases, refused: this.#refused };
  }

  countsSince(from: { readonly purchases: number; readonly refused: number }) {
    return { purchases: this.#purchases - from.purchases, refused: this.#refused - from.refused };
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#running);
  }

  /** A bot that reads the journal from its beginning, over and over, whatever becomes of a reading. */
  async #follow({ process: { operatorUrl, operatorToken } }: ServerUnderTest): Promise<void> {
    const headers = { authorization: `Bearer ${operatorToken}` };
    while (!this.#isOver) {
      try {
        const feed = await fetch(`${operatorUrl}/feed?after=0`, {
          headers,
          signal: AbortSignal.timeout(500),
        });
        for await (const _chunk of feed.body ?? []);
      } catch {
        await delay(20);
      }
    }
  }

  async #repeat(waitMs: number, request: () => Promise<number>): Promise<void> {
    while (!this.#isOver) {
      try {
        const status = await request();
        if (status >= 400) this.#refused += 1;
        assert.ok(status < 400 || status === 409 || status === 500, `status ${status}`);
      } catch (error) {
        if (error instanceof assert.AssertionError || !this.#isEndExpected) throw error;
        return;
      }
      await delay(waitMs);
    }
  }
}
