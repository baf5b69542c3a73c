/**
 * GET /feed of a real node, over restarts and kills, over segments, and beside readers that read nothing. What it refuses,
 * how many may read, and how it ends is in `test/feed/fact-feed.test.ts`.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { MAX_READERS } from '../../../src/feed/fact-feed.ts';
import { listSegments } from '../../../src/persistence/journal/journal-segments.ts';
import { FeedConnection, type FeedLine } from '../../feed/feed-connection.ts';
import { eventually } from '../../support/eventually.ts';
import { ok } from '../../support/operator-client.ts';
import { randomFromEnvironment, roundsOr } from '../../support/random.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { Ledger } from './ledger.ts';
import { type ServerUnderTest, startServer } from './server-under-test.ts';
import { addProduct, openAccount, setStage } from './stage.ts';
import { Traffic } from './traffic.ts';
import { SMALL_FILES } from './tuned-node.ts';

const random = randomFromEnvironment();
/** Kills and stops, in turn. */
const ROUNDS = roundsOr(7);
const MOST_MB = 250;

describe(`the feed of a node (seed ${random.seed})`, { timeout: 900_000 }, () => {
  let folder: TemporaryFolder;
  let server: ServerUnderTest;
  const connections: FeedConnection[] = [];

  before(async () => {
    folder = await createTemporaryFolder('feed');
    server = await startServer({ dataDir: folder.path, ...SMALL_FILES });
  });
  afterEach(() => {
    for (const connection of connections.splice(0)) connection.close();
  });
  after(async () => {
    await server.kill();
    await folder.remove();
  });

  /** Waits for a place where the server has yet to notice that readers have left. */
  async function follow(seq: number): Promise<FeedConnection> {
    for (;;) {
      const connection = await FeedConnection.open(server.process, `?after=${seq}`);
      connections.push(connection);
      if (connection.status === 200) return connection;
      connection.close();
      assert.equal(connection.status, 429);
      await delay(10);
    }
  }

  async function position(): Promise<number> {
    const status = await ok(server.operator.json('GET', '/status'));
    return (status as unknown as { journalPosition: number }).journalPosition;
  }

  /** What a reader has by now that begins there. */
  async function whole(): Promise<FeedLine[]> {
    return (await follow(0)).through(await position());
  }

  test('a reader that comes back after each stop and kill has every fact once', async () => {
    const ledger = new Ledger();
    await setStage(server, ledger, 2_000);
    const seen: FeedLine[] = [];
    const last = () => seen.at(-1)?.seq ?? 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const options = { workers: 8, maxPurchases: Number.POSITIVE_INFINITY, restocks: true };
      const traffic = new Traffic(server, ledger, random, options);
      const connection = await follow(last());
      const reading = (async () => {
        for (let line = await connection.next(); line !== undefined; line = await connection.next()) {
          seen.push(line);
        }
        return 'ended';
      })().catch(() => 'broken');
      const running = traffic.run();
      const enough = last() + 200;
      await Promise.race([running, eventually('it is told enough', () => last() >= enough, 120_000)]);
      if (round % 2 === 0) {
        traffic.expectTheEnd();
        await server.kill();
        await Promise.all([running, reading]);
      } else {
        traffic.stop();
        await running;
        await server.stop();
        assert.equal(await reading, 'ended', 'a node that stops ends the feed behind a whole line');
      }
      server = await startServer({ dataDir: folder.path, ...SMALL_FILES });
    }
    const end = await position();
    if (last() < end) seen.push(...(await (await follow(last())).through(end)));
    assert.deepEqual(
      seen.map(({ seq }) => seq),
      Array.from({ length: end }, (_, index) => index + 1),
    );
    assert.deepEqual(await whole(), seen, 'and what was told live is what history tells');
    assert.ok(listSegments(folder.path).length > 5);
  });

  test('a fact is told when its answer leaves, with its order, and without secrets', async () => {
    const { accountId, apiKey } = await openAccount(server, 'a bot');
    await ok(server.operator.credit(accountId, 10, randomUUID()));
    const { productId } = await addProduct(server, 100);
    await ok(server.operator.addStock(productId, ['first secret', 'second secret']));
    const connection = await follow(await position());
    const body = { productId, quantity: 2, expectedPriceUsdt: 2 };
    const bought = await server.buyers.purchase(apiKey, 'key-1', body);
    const line = await connection.next();
    assert.deepEqual([line?.type, line?.seq], ['OrderPlaced', await position()]);
    const { orderId, status, totalPriceUsdt, quantity } = line?.order ?? {};
    assert.deepEqual([orderId, status, totalPriceUsdt, quantity], [bought.body.orderId, 'completed', 2, 2]);
    const text = JSON.stringify(await whole());
    for (const secret of ['first secret', apiKey, 'sha256', 'sealedSecret'])
      assert.ok(!text.includes(secret));
  });

  test('readers that read nothing cost a bounded memory, and others nothing', async (t) => {
    // Segments of the usual size: a fact is larger than a small one.
    await server.stop();
    server = await startServer({ dataDir: folder.path });
    const { productId } = await addProduct(server, 100);
    const beginning = await position();
    const slow = await Promise.all(Array.from({ length: MAX_READERS - 2 }, () => follow(beginning)));
    // Lines of some 120 KB: the first fill the system's buffers, and the others must wait on disk.
    const long = '\u0001'.repeat(9_990);
    const change = async (times: number) => {
      for (let left = times; left > 0; left -= 1) {
        const update = { description: `${long}${left}`, instructions: long };
        await ok(server.operator.updateProduct(productId, update));
      }
    };
    await change(100);
    const beforeMb = anonymousMb();
    await change(100);
    // Garbage is part of it, of more than a hundred megabytes at times; what waits for readers would never go.
    await eventually(
      `it grows by less than ${MOST_MB} of the 360 MB that 30 readers have not taken`,
      async () => {
        const grownMb = anonymousMb() - beforeMb;
        t.diagnostic(`grown by ${grownMb} MB`);
        await ok(server.operator.getProduct(productId));
        return grownMb < MOST_MB;
      },
    );
    const end = await position();
    const lines = await (await follow(beginning)).through(end);
    assert.equal(lines.length, 200);
    assert.deepEqual(await slow[0]?.through(end), lines);
  });

  function anonymousMb(): number {
    const status = readFileSync(`/proc/${server.process.pid}/status`, 'utf8');
    return Math.round(Number(/RssAnon:\s+(\d+) kB/.exec(status)?.[1]) / 1_024);
  }
});
