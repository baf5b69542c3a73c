/**
 * GET /feed of a real node, over restarts and kills, over segments, and beside readers that read nothing. What it refuses,
 * and how many may read, is in `test/feed/fact-feed.test.ts`.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { MAX_READERS } from '../../../src/feed/fact-feed.ts';
import { listSegments } from '../../../src/persistence/journal/journal-segments.ts';
import { FeedConnection, type FeedLine } from '../../feed/feed-connection.ts';
import { ok } from '../../support/operator-client.ts';
import { startCommand } from '../../support/purser-command.ts';
import { randomFromEnvironment, roundsOr } from '../../support/random.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { Ledger } from './ledger.ts';
import { type ServerUnderTest, startServer } from './server-under-test.ts';
import { setStage } from './stage.ts';
import { Traffic } from './traffic.ts';
import { SMALL_FILES } from './tuned-node.ts';

const random = randomFromEnvironment();
/** Kills and stops, in turn. */
const rounds = roundsOr(7);

describe(`the feed of a node (seed ${random.seed})`, { timeout: 900_000 }, () => {
  let folder: TemporaryFolder;
  let server: ServerUnderTest;
  const connections: FeedConnection[] = [];

  before(async () => {
    folder = await createTemporaryFolder('feed');
    await start();
  });
  afterEach(() => {
    for (const connection of connections.splice(0)) connection.close();
  });
  after(async () => {
    await server.kill();
    await folder.remove();
  });

  async function start(): Promise<void> {
    server = await startServer({ dataDir: folder.path, ...SMALL_FILES });
  }

  /** Waits for a place where the server has yet to notice that readers have left. */
  async function follow(seq: number): Promise<FeedConnection> {
    for (;;) {
      const connection = await FeedConnection.open(server.process, `?after=${seq}`);
      if (connection.status === 200) {
        connections.push(connection);
        return connection;
      }
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
    const connection = await follow(0);
    return connection.through(await position());
  }

  test('a reader that comes back after each stop and kill has every fact once', async () => {
    const ledger = new Ledger();
    await setStage(server, ledger, 2_000);
    const seen: FeedLine[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const traffic = new Traffic(server, ledger, random, {
        workers: 8,
        maxPurchases: Number.POSITIVE_INFINITY,
        restocks: true,
      });
      const connection = await follow(seen.at(-1)?.seq ?? 0);
      const reading = (async () => {
        for (let line = await connection.next(); line !== undefined; line = await connection.next()) {
          seen.push(line);
        }
        return 'ended';
      })().catch(() => 'broken');
      const running = traffic.run();
      const enough = (seen.at(-1)?.seq ?? 0) + 200;
      while ((seen.at(-1)?.seq ?? 0) < enough) await delay(5);
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
      await start();
    }
    const last = await position();
    if ((seen.at(-1)?.seq ?? 0) < last)
      seen.push(...(await (await follow(seen.at(-1)?.seq ?? 0)).through(last)));
    assert.deepEqual(
      seen.map(({ seq }) => seq),
      Array.from({ length: last }, (_, index) => index + 1),
    );
    assert.deepEqual(await whole(), seen, 'and what was told live is what history tells');
    assert.ok(listSegments(folder.path).length > 5);
  });

  test('a fact is told when its answer leaves, and the order beside it says what it delivers', async () => {
    const { accountId = 0 } = await ok(server.operator.createAccount({ name: 'a bot' }));
    await ok(server.operator.credit(accountId, 10, randomUUID()));
    const { apiKey = '' } = await ok(server.operator.issueKey(accountId));
    const { productId = 0 } = await ok(server.operator.createProduct({ name: 'Pin', priceUsdt: 1 }));
    await ok(server.operator.addStock(productId, ['first secret', 'second secret']));
    const connection = await follow(await position());
    assert.match(String(connection.headers['content-type']), /^application\/x-ndjson/);
    const body = { productId, quantity: 2, expectedPriceUsdt: 2 };
    const bought = await server.buyers.purchase(apiKey, 'key-1', body);
    const line = await connection.next();
    const { orderId } = bought.body;
    assert.deepEqual([line?.type, line?.seq], ['OrderPlaced', await position()]);
    const { status, totalPriceUsdt, quantity } = line?.order ?? {};
    assert.deepEqual([line?.order?.orderId, status, totalPriceUsdt, quantity], [orderId, 'completed', 2, 2]);
    assert.equal(connection.blanks, 1);
    const order = await ok(server.operator.getOrder(orderId ?? 0));
    assert.deepEqual(order.delivery, { items: ['first secret', 'second secret'] });
    const text = JSON.stringify(await whole());
    for (const secret of ['first secret', apiKey, 'sha256', 'sealedSecret'])
      assert.ok(!text.includes(secret));
  });

  test('what cannot be served is refused, and says what to do', async () => {
    const last = await position();
    const newest = new RegExp(`the newest line has seq ${last}: `);
    for (const [after, message] of [
      ['-1', /the seq of the last line you have/],
      ['', /or 0 for all/],
      ['1e3', /the seq/],
      [last + 1, newest],
    ] as const) {
      const connection = await FeedConnection.open(server.process, `?after=${after}`);
      const body = await connection.body();
      assert.deepEqual([connection.status, body.error], [400, 'BAD_REQUEST'], `after=${after}`);
      assert.match(String(body.message), message);
    }
    const stranger = { operatorUrl: server.process.operatorUrl, operatorToken: 'another' };
    assert.equal((await FeedConnection.open(stranger, '')).status, 401);
    const head = await server.operator.request('HEAD', '/feed', {});
    assert.deepEqual([head.status, head.text], [200, '']);
  });

  test('SIGTERM ends readers that wait, at once, and `purser feed` says where to go on', async () => {
    const last = await position();
    const connection = await follow(last);
    const ended = connection.next();
    const { operatorUrl, operatorToken } = server.process;
    const target = ['--operator', operatorUrl, '--token', operatorToken];
    const command = startCommand(['feed', '--after', String(last - 2), ...target]);
    let lines = 0;
    command.child.stdout.on('data', (text: string) => {
      lines += text.split('\n').length - 1;
    });
    while (lines < 2) await once(command.child.stdout, 'data');
    await server.stop();
    assert.equal(await ended, undefined, 'had it waited for the reader, it would have cut it off');
    const { code, stdout, stderr } = await command.ended;
    const seqs = stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as FeedLine).seq);
    assert.deepEqual([code, seqs], [0, [last - 1, last]]);
    assert.equal(stderr, `The node closed the feed. Continue with --after ${last} --epoch 1\n`);
  });

  test('readers that read nothing cost a bounded memory, and others nothing', async (t) => {
    // Segments of the usual size: a fact is larger than a small one.
    server = await startServer({ dataDir: folder.path });
    const { productId = 0 } = await ok(server.operator.createProduct({ name: 'Long', priceUsdt: 1 }));
    const beginning = await position();
    const slow = await Promise.all(Array.from({ length: MAX_READERS - 2 }, () => follow(beginning)));
    // Lines of some 120 KB: the first fill the system's buffers, and the others must wait on disk.
    const long = '\u0001'.repeat(9_990);
    const change = async (times: number) => {
      for (let left = times; left > 0; left -= 1) {
        await ok(
          server.operator.updateProduct(productId, { description: `${long}${left}`, instructions: long }),
        );
      }
    };
    await change(100);
    const beforeMb = anonymousMb();
    await change(100);
    let grownMb = anonymousMb() - beforeMb;
    t.diagnostic(`grown by ${grownMb} MB`);
    // Garbage is part of it, of more than a hundred megabytes at times; what waits for readers would never go.
    for (let tries = 0; tries < 300 && grownMb >= 250; tries += 1) {
      for (let count = 0; count < 20; count += 1) await ok(server.operator.getProduct(productId));
      grownMb = anonymousMb() - beforeMb;
    }
    assert.ok(grownMb < 250, `grown by ${grownMb} MB, of the 360 MB that 30 readers have not taken`);
    const last = await position();
    const lines = await (await follow(beginning)).through(last);
    assert.equal(lines.length, 200);
    assert.deepEqual(await slow[0]?.through(last), lines);
  });

  function anonymousMb(): number {
    if (process.platform !== 'linux') return 0;
    const status = readFileSync(`/proc/${server.process.pid}/status`, 'utf8');
    return Math.round(Number(/RssAnon:\s+(\d+) kB/.exec(status)?.[1]) / 1_024);
  }
});
