/**
 * A node on a folder that was restored: what it refuses, what it still answers, and how what was lost comes back; in
 * answers, listings, statements and the feed, across restarts and folds; and `purser verify` finds nothing amiss.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Command } from '../../../src/engine/command.ts';
import { verifyDataFolder } from '../../../src/persistence/verify.ts';
import { DocumentedAnswers } from '../../contract/documented-answers.ts';
import { FeedConnection, type FeedLine } from '../../feed/feed-connection.ts';
import { beginEpoch, repair } from '../../persistence/restored-folder.ts';
import { ok } from '../../support/operator-client.ts';
import { QuietNode } from '../../support/quiet-node.ts';

const ITEMS = ['a', 'b', 'c', 'd', 'e', 'f'];

let node: QuietNode;
let accountId = 0;
let productId = 0;
let manualId = 0;
let apiKey = '';
/** The last line of both epochs. */
let fork = 0;
/** One of each kind: of own stock, and one that waits for its delivery and its money. */
let [lostId, poorId] = [0, 0];

before(async () => {
  node = await QuietNode.start('restored-node');
  const { operator } = node;
  accountId = (await ok(operator.createAccount({ name: 'buyer' }))).accountId ?? 0;
  apiKey = (await ok(operator.issueKey(accountId))).apiKey ?? '';
  await ok(operator.credit(accountId, 20, 'before'));
  productId = (await ok(operator.createProduct({ name: 'Code', priceUsdt: 2 }))).productId ?? 0;
  manualId =
    (await ok(operator.createProduct({ name: 'Work', type: 'manual', priceUsdt: 90 }))).productId ?? 0;
  await ok(operator.addStock(productId, ITEMS));
  assert.equal((await buy('before', productId, 2)).status, 201);
  await node.stop();
  fork = await beginEpoch(node.folder.path, 2);
  [lostId, poorId] = [700_000, 900_000];
  await repair(
    node.folder.path,
    () => [{ kind: 'QuarantineItems', productId, count: 3 }, recovery(poorId, 'poor', manualId, 90), lost()],
    { [lostId]: ['c'] },
  );
  await node.restart();
});
after(() => node.close());

function buy(key: string, product: number, priceUsdt: number) {
  return node.buyers.purchase(apiKey, key, { productId: product, expectedPriceUsdt: priceUsdt });
}

/** Of one unit. */
function recovery(orderId: number, key: string, product: number, priceUsdt: number): Command {
  return {
    kind: 'RecoverOrder',
    orderId,
    accountId,
    productId: product,
    quantity: 1,
    idempotencyKey: key,
    expectedPriceUsdt: priceUsdt,
    recipientUsername: null,
    requestNumber: 0,
    totalMicros: priceUsdt * 1_000_000,
    balanceAfterMicros: 16_000_000,
    fileId: null,
    textCount: 0,
    createdAtMs: Date.now(),
    items: [],
  };
}

/** The third item, and its text. */
function lost(): Command {
  const items = [{ firstItem: 2, count: 1 }];
  return { ...recovery(lostId, 'lost', productId, 2), textCount: 1, items } as Command;
}

async function linesOf(query: string, count: number): Promise<FeedLine[]> {
  const { operatorUrl } = node;
  token ??= (await ok(node.operator.json('POST', '/operators', { name: 'reader', role: 'owner' }))).token;
  const feed = await FeedConnection.open({ operatorUrl, operatorToken: token ?? '' }, `?${query}`);
  assert.equal(feed.status, 200);
  const lines: FeedLine[] = [];
  while (lines.length < count) lines.push((await feed.next()) ?? assert.fail('the feed has ended'));
  feed.close();
  return lines;
}

let token: string | undefined;

async function assertSound(): Promise<void> {
  const lines: string[] = [];
  assert.ok(await verifyDataFolder(node.folder.path, (line) => lines.push(line)), lines.join('\n'));
  assert.match(lines.join('\n'), /, [34] orders, no item sold twice/);
}

test('nothing is sold, and what is refused costs neither money nor the key', async () => {
  const refused = await buy('new', productId, 2);
  assert.deepEqual(
    [refused.status, refused.body.error, refused.headers['retry-after']],
    [503, 'SALES_CLOSED', '30'],
  );
  const document = await node.buyers.raw('GET', '/openapi.json');
  new DocumentedAnswers(document.text).check('POST', '/orders', refused);
  assert.match(refused.body.message ?? '', /Nothing was charged\. Try again later, with the same key\./);
});

test('operators find recovered orders, before a fold and after it', async () => {
  const listed = async (query: string) =>
    ((await ok(node.operator.json('GET', `/orders?${query}`))).orders ?? []).map(({ orderId }) => orderId);
  for (const step of ['in memory', 'in the checkpoint']) {
    assert.deepEqual(await listed(`accountId=${accountId}`), [poorId, lostId, 1], step);
    assert.deepEqual(await listed(`productId=${productId}`), [lostId, 1], step);
    assert.deepEqual(await listed('status=pending_delivery'), [poorId], step);
    assert.deepEqual(await listed(`accountId=${accountId}&idempotencyKey=lost`), [lostId], step);
    assert.deepEqual(await listed(''), [poorId, lostId, 1], step);
    // It has the checkpoint reach what is decided.
    const timeline = (await ok(node.operator.json('GET', `/orders/${lostId}/timeline`))) as unknown as {
      events: { type: string }[];
    };
    assert.deepEqual(
      timeline.events.map(({ type }) => type),
      ['OrderRecovered'],
    );
    await node.restart();
  }
  const status = (await ok(node.operator.json('GET', '/status'))) as unknown as { orders: number };
  assert.equal(status.orders, 3);
});

test('the feed says of which epoch a line is, and who has read what is not here is told so', async () => {
  const lines = await linesOf('after=0', fork + 4);
  for (const { seq, epoch } of lines) assert.equal(epoch, Number(seq) <= fork ? 1 : 2, `line ${seq}`);
  const begun = lines.find(({ type }) => type === 'EpochBegun');
  assert.equal(begun?.seq, fork + 1);
  for (const [query, isRefused] of [
    [`after=${fork}&epoch=1`, false],
    [`after=${fork + 1}&epoch=2`, false],
    [`after=${fork + 1}&epoch=1`, true],
  ] as const) {
    if (!isRefused) {
      await linesOf(query, 1);
      continue;
    }
    const { status, body } = await node.operator.json('GET', `/feed?${query}`);
    assert.deepEqual([status, body.error], [409, 'OTHER_EPOCH']);
    assert.deepEqual((body as unknown as { forkAfter: number }).forkAfter, fork);
  }
  const bad = await node.operator.json('GET', '/feed?after=1&epoch=0');
  assert.equal(bad.status, 400);
});

test('a debit that waits is made with the credit, and the statement has it', async () => {
  const { operator } = node;
  const refund = await operator.moveOrder(poorId, 'fail');
  assert.deepEqual([refund.status, refund.body.error], [409, 'TRANSITION_NOT_ALLOWED']);
  await ok(operator.credit(accountId, 80, 'lost with it'));
  assert.equal((await ok(operator.getAccount(accountId))).balanceUsdt, 6);
  const { movements } = (await ok(operator.json('GET', `/accounts/${accountId}/statement`))) as unknown as {
    movements: { type: string; orderId?: number; balanceUsdt: number }[];
  };
  assert.deepEqual(
    movements.map(({ orderId, balanceUsdt }) => [orderId, balanceUsdt]),
    [
      [undefined, 20],
      [1, 18],
      [lostId, 16],
      [undefined, 96],
      [poorId, 6],
    ],
  );
});

test('after sales are opened the next order has a number behind the leap, and an item that nobody has', async () => {
  await node.stop();
  await assertSound();
  await repair(node.folder.path, ({ stock }) => [
    { kind: 'EndQuarantine', productId, ranges: stock.lost(productId)?.quarantined.list ?? [] },
    { kind: 'OpenSales' },
  ]);
  await node.restart();
  const { status, body } = await buy('after', productId, 2);
  assert.deepEqual([status, body.delivery?.items], [201, ['e']]);
  assert.ok((body.orderId ?? 0) > 1_000_000);
  const created = (await ok(node.operator.createAccount({ name: 'later' }))).accountId ?? 0;
  assert.ok(created > 1_000);
  await node.stop();
  await assertSound();
  await node.restart();
});
