/**
 * GET /feed of a real node, over restarts and kills, and over segments. Its lines, refusals, limits and end are tested
 * in `test/feed/`; the cost of a reader who reads nothing, one chunk, in `test/http/transport/`.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listSegments } from '../../../../src/persistence/journal/journal-segments.ts';
import { FeedConnection, type FeedLine } from '../../../feed/feed-connection.ts';
import { eventually } from '../../../support/eventually.ts';
import { ok } from '../../../support/operator-client.ts';
import { randomFromEnvironment, roundsOr } from '../../../support/random.ts';
import { createTemporaryFolder } from '../../../support/temporary-folder.ts';
import { Ledger } from '../shop/ledger.ts';
import { startServer } from '../shop/server-under-test.ts';
import { setStage } from '../shop/stage.ts';
import { Traffic } from '../shop/traffic.ts';
import { SMALL_FILES } from '../shop/tuned-node.ts';

/** Kills and stops, in turn. */
const ROUNDS = roundsOr(7);

test('a reader that comes back after each stop and kill has every fact once', {
  timeout: 900_000,
}, async (t) => {
  const random = randomFromEnvironment();
  t.diagnostic(`seed ${random.seed}`);
  const folder = await createTemporaryFolder('feed');
  const start = () => startServer({ dataDir: folder.path, ...SMALL_FILES });
  let server = await start();
  const connections: FeedConnection[] = [];
  t.after(async () => {
    for (const connection of connections) connection.close();
    await server.kill();
    await folder.remove();
  });
  const follow = async (seq: number) => {
    const connection = await FeedConnection.open(server.process, `?after=${seq}`);
    connections.push(connection);
    assert.equal(connection.status, 200);
    return connection;
  };

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
    server = await start();
  }
  const status = await ok(server.operator.json('GET', '/status'));
  const { journalPosition: end } = status as unknown as { journalPosition: number };
  if (last() < end) seen.push(...(await (await follow(last())).through(end)));
  assert.deepEqual(
    seen.map(({ seq }) => seq),
    Array.from({ length: end }, (_, index) => index + 1),
  );
  assert.deepEqual(await (await follow(0)).through(end), seen, 'what was told live is what history tells');
  assert.ok(listSegments(folder.path).length > 5);
});
