/**
 * Readers of events beside a shop that is killed, stopped and put back to an earlier moment: each rebuilds all orders of an
 * account that never had a webhook, equal to the shop's own books, from wherever it began. An account with a webhook reads
 * the very ids that its deliveries have.
 */
import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { FIRST_EPOCH } from '../../../../src/engine/recovery/epochs.ts';
import { WEBHOOK_EVENTS } from '../../../../src/engine/webhook.ts';
import { beginEpoch } from '../../../persistence/restored-folder.ts';
import { eventually } from '../../../support/eventually.ts';
import { ok } from '../../../support/operator-client.ts';
import { type Random, randomFromEnvironment, roundsOr } from '../../../support/random.ts';
import { createTemporaryFolder } from '../../../support/temporary-folder.ts';
import { type ServerUnderTest, startServer } from '../shop/server-under-test.ts';
import { SMALL_FILES } from '../shop/tuned-node.ts';
import { booksOf, EventReader } from './events.ts';

const ROUNDS = roundsOr(8);
const WORKERS = 4;
/** Readers of one account that wait at a time. */
const MAY_WAIT = 4;
const STEPS_PER_ROUND = 60;
const PRICE_USDT = 1;
const [FROM_STOCK, BY_HAND] = [1, 2];
/** Without and with a webhook. */
const [PLAIN, SUBSCRIBED] = [1, 2];

test(`readers of events rebuild an account through ${ROUNDS} kills, stops and restores`, {
  timeout: 900_000,
}, async (t) => {
  const random = randomFromEnvironment();
  t.diagnostic(`seed ${random.seed}`);
  const folder = await createTemporaryFolder('events');
  const earlier = `${folder.path}.earlier`;
  const start = () =>
    startServer({ dataDir: folder.path, flags: ['--webhook-allow', '127.0.0.0/8'], ...SMALL_FILES });
  let server = await start();
  t.after(async () => {
    await server.kill();
    rmSync(earlier, { recursive: true, force: true });
    await folder.remove();
  });
  const keys = await setUp(server);
  const readers = [new EventReader(keys.plain, random)];
  let epoch = FIRST_EPOCH;
  for (let round = 0; round < ROUNDS; round += 1) {
    const kind =
      round === 0 ? 'keep' : round % 3 === 2 ? 'restore' : random.pick(['kill', 'kill', 'stop', 'keep']);
    await live(server, keys, readers, random, kind === 'kill');
    if (random.chance(0.7)) readers.push(new EventReader(keys.plain, random));
    if (kind === 'kill') await server.kill();
    else await server.stop();
    if (kind === 'keep') {
      rmSync(earlier, { recursive: true, force: true });
      cpSync(folder.path, earlier, { recursive: true });
    }
    if (kind === 'restore') {
      rmSync(folder.path, { recursive: true });
      cpSync(earlier, folder.path, { recursive: true });
      epoch += 1;
      await beginEpoch(folder.path, epoch, true);
    }
    server = await start();
  }
  const books = await booksOf(server, PLAIN);
  assert.ok(Object.keys(books.orders).length > 0);
  const late = new EventReader(keys.plain, random);
  // The last group closes by itself.
  for (const reader of [late, ...readers])
    await eventually('it has read all', async () => {
      await late.readAll(server);
      await reader.readAll(server);
      return isDeepStrictEqual(reader.ids, late.ids);
    });
  for (const reader of [late, ...readers]) assert.deepEqual(reader.books, books);
  const subscriber = new EventReader(keys.subscribed, random);
  await eventually('all are to be delivered', async () => {
    await subscriber.readAll(server);
    return isDeepStrictEqual(await deliveredIds(server), subscriber.ids);
  });
  assert.deepEqual(subscriber.books, await booksOf(server, SUBSCRIBED));
  assert.ok(subscriber.groups > 0);
  const again = readers.reduce((sum, { begun }) => sum + begun, 0);
  t.diagnostic(
    `${readers.length} readers, ${epoch - 1} restores, begun again ${again} times, ${subscriber.ids.size} events of a subscriber, of which ${subscriber.groups} are groups`,
  );
});

interface Keys {
  readonly plain: string;
  readonly subscribed: string;
}

async function setUp({ operator, buyers }: ServerUnderTest): Promise<Keys> {
  const accounts: string[] = [];
  for (const accountId of [PLAIN, SUBSCRIBED]) {
    await ok(operator.createAccount({ name: 'buyer', rateLimitPerMinute: null }));
    accounts.push((await ok(operator.issueKey(accountId))).apiKey ?? '');
  }
  const [plain = '', subscribed = ''] = accounts;
  const webhook = { url: 'https://127.0.0.1:8443/', events: WEBHOOK_EVENTS };
  const registered = await buyers.setWebhook(subscribed, webhook);
  assert.equal(registered.status, 200, registered.text);
  const product = { description: '', instructions: '', priceUsdt: PRICE_USDT };
  await ok(operator.createProduct({ ...product, name: 'from stock', type: 'standard' }));
  await ok(operator.createProduct({ ...product, name: 'by hand', type: 'manual' }));
  const items = Array.from({ length: 20_000 }, (_, index) => `item ${index}`);
  await ok(operator.addStock(FROM_STOCK, items));
  for (const accountId of [PLAIN, SUBSCRIBED]) await ok(operator.credit(accountId, 100_000, 'first'));
  return { plain, subscribed };
}

/** Buys, ends and refunds, and reads meanwhile, until there was enough; errors are the end's when there is a kill. */
async function live(
  server: ServerUnderTest,
  keys: Keys,
  readers: readonly EventReader[],
  random: Random,
  isKilled: boolean,
): Promise<void> {
  let steps = 0;
  const working = Array.from({ length: WORKERS }, async () => {
    while (steps < STEPS_PER_ROUND) {
      await step(server, keys, random);
      steps += 1;
    }
  });
  const reading = readers.map(async (reader, index) => {
    while (steps < STEPS_PER_ROUND) {
      // Some are slow, and few may wait.
      const wait = index < MAY_WAIT ? random.pick([0, 0.05, 1]) : 0;
      if (random.chance(0.3)) await reader.read(server, wait);
      else await delay(5);
    }
  });
  if (!isKilled) return void (await Promise.all([...working, ...reading]));
  const ended = Promise.allSettled([...working, ...reading]);
  await eventually('half of it is done', () => steps >= random.between(1, STEPS_PER_ROUND));
  await server.kill();
  await ended;
}

async function step({ operator, buyers }: ServerUnderTest, { plain, subscribed }: Keys, random: Random) {
  const [accountId, apiKey] = random.chance(0.7) ? [PLAIN, plain] : [SUBSCRIBED, subscribed];
  const key = crypto.randomUUID();
  if (random.chance(0.1)) return ok(operator.credit(accountId, 1, key));
  const productId = random.chance(0.7) ? FROM_STOCK : BY_HAND;
  const { body, text } = await buyers.purchase(apiKey, key, { productId, expectedPriceUsdt: PRICE_USDT });
  const orderId = body.orderId ?? assert.fail(text);
  if (productId === BY_HAND) {
    const choice = random.next();
    if (choice < 0.3) return ok(operator.moveOrder(orderId, 'fail', {}));
    if (choice > 0.8) return undefined;
    await ok(operator.moveOrder(orderId, 'complete', { items: ['text'] }));
  }
  for (let parts = random.between(0, 2); parts > 0; parts -= 1)
    await ok(operator.adjustOrder(orderId, 'refund', { amountUsdt: 0.25 }, crypto.randomUUID()));
  if (productId === FROM_STOCK && random.chance(0.2))
    await ok(operator.adjustOrder(orderId, 'replace', { items: [0] }, crypto.randomUUID()));
  return undefined;
}

async function deliveredIds({ operator }: ServerUnderTest): Promise<Set<string>> {
  const ids = new Set<string>();
  let more = '';
  do {
    const page = await ok(operator.json('GET', `/webhooks/${SUBSCRIBED}/deliveries?limit=50${more}`));
    const { deliveries, nextCursor } = page as unknown as {
      deliveries: { eventId: string }[];
      nextCursor?: string;
    };
    for (const { eventId } of deliveries) ids.add(eventId);
    more = nextCursor === undefined ? '' : `&cursor=${nextCursor}`;
  } while (more !== '');
  return ids;
}
