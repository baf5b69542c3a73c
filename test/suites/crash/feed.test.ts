/** GET /feed of a real node: over restarts and kills, over segments, beside readers that read nothing. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { MAX_READERS } from '../../../src/feed/fact-feed.ts';
import { listSegments } from '../../../src/persistence/journal/journal-segments.ts';
import { FeedConnection, type FeedLine } from '../../feed/feed-connection.ts';
import { ok } from '../../support/operator-client.ts';
import { runCommand, startCommand } from '../../support/purser-command.ts';
import { isLongRun, randomFromEnvironment } from '../../support/random.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { Ledger } from './ledger.ts';
import { type ServerUnderTest, startServer } from './server-under-test.ts';
import { setStage } from './stage.ts';
import { Traffic } from './traffic.ts';
import { SMALL_FILES } from './tuned-node.ts';

const random = randomFromEnvironment();
/** Kills and stops, in turn. */
const rounds = isLongRun() ? 7 : 2;

describe(`the feed of a node (seed ${random.seed})`, { timeout: 300_000 }, () => {
  let folder: TemporaryFolder;
  let server: ServerUnderTest;
  const connections: FeedConnection[] = [];
  /** What a reader had before the node was stopped and a segment was taken away. */
  let all: FeedLine[];

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
    const cases: [query: string, status: number, code: string, message: RegExp][] = [
      ['?after=-1', 400, 'BAD_REQUEST', /the seq of the last line you have/],
      ['?after=', 400, 'BAD_REQUEST', /or 0 for all/],
      ['?after=1e3', 400, 'BAD_REQUEST', /the seq/],
      ['?after=99999999999999999999', 400, 'BAD_REQUEST', /the seq/],
      [`?after=${last + 1}`, 400, 'BAD_REQUEST', new RegExp(`the newest line has seq ${last}: `)],
    ];
    for (const [query, status, code, message] of cases) {
      const connection = await FeedConnection.open(server.process, query);
      const body = await connection.body();
      assert.deepEqual([connection.status, body.error], [status, code], query);
      assert.match(String(body.message), message);
    }
    const stranger = { operatorUrl: server.process.operatorUrl, operatorToken: 'another' };
    assert.equal((await FeedConnection.open(stranger, '')).status, 401);
    const head = await server.operator.request('HEAD', '/feed', {});
    assert.deepEqual([head.status, head.text], [200, '']);
  });

  test('there are so many places, and a reader that leaves frees its own', async () => {
    const last = await position();
    for (let reader = 0; reader < MAX_READERS; reader += 1) await follow(last);
    const refused = await FeedConnection.open(server.process, '');
    assert.deepEqual([refused.status, (await refused.body()).error], [429, 'RATE_LIMITED']);
    assert.ok(Number(refused.headers['retry-after']) > 0);
    connections.shift()?.close();
    for (;;) {
      const connection = await FeedConnection.open(server.process, '');
      connections.push(connection);
      if (connection.status === 200) break;
      await delay(10);
    }
  });

  test('SIGTERM ends readers that wait, at once, and `purser feed` says where to go on', async () => {
    all = await whole();
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

  test('a position before what the folder still holds is refused with the place to go on from', async () => {
    const [first, second] = listSegments(folder.path);
    assert.ok(first && second);
    const elsewhere = join(folder.path, 'archived');
    renameSync(first.file, elsewhere);
    // From here on segments have the usual size: a fact of the next test is larger than a small one.
    server = await startServer({ dataDir: folder.path });
    const gone = await FeedConnection.open(server.process, '?after=0');
    const body = await gone.body();
    assert.deepEqual(
      [gone.status, body.error, body.oldestAfter],
      [410, 'FACTS_GONE', second.firstSequence - 1],
    );
    const { operatorUrl, operatorToken } = server.process;
    const refused = await runCommand(['feed', '--operator', operatorUrl, '--token', operatorToken]);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /^error FACTS_GONE: .* Continue with \?after=\d+\. .*\n$/);
    const rest = await (await follow(second.firstSequence - 1)).through(await position());
    assert.deepEqual(rest, all.slice(second.firstSequence - 1));
    renameSync(elsewhere, first.file);
    assert.deepEqual(await whole(), all);
  });

  test('readers that read nothing cost a bounded memory, and others nothing', async (t) => {
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
