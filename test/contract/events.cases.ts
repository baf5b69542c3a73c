/** COMMERCE.md §5, docs/events: GET /events, what it tells, from where, and how it waits. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { ok } from '../support/operator-client.ts';
import { assertRefusal, assertSuccess } from './reply-assertions.ts';
import { type Buyer, casesOf, known } from './scene.ts';

/** Events of the account alone: those of catalog and stock come whenever other cases change something. */
const OWN = 'order.completed,order.failed,order.refunded,order.items_replaced,balance.credited,balance.low';
const FORGED = 'evt_00000000000000000000';

const REFUSED: readonly (readonly [why: string, query: Record<string, string>, message: RegExp])[] = [
  ['a limit of 0', { limit: '0' }, /^limit must be a whole number from 1 to 1000/],
  ['a limit of 1001', { limit: '1001' }, /^limit/],
  ['a limit that is no number', { limit: 'all' }, /^limit/],
  ['a wait of 31 seconds', { wait: '31' }, /^wait must be a number of seconds from 0 to 30/],
  ['a wait below 0', { wait: '-1' }, /^wait/],
  ['an unknown type', { types: 'order.completed,order.made' }, /^types has "order\.made"/],
  ['no types', { types: '' }, /^types has ""/],
  ['an after that is no id', { after: 'x' }, /^after must be the id of an event of this account/],
  ['an after that was never given', { after: FORGED }, /^after/],
];

export const events = casesOf('events', (scene) => {
  const read = async ({ apiKey }: Buyer, query: Record<string, string | number> = {}) => {
    const reply = await scene.buyers.events(apiKey, { types: OWN, ...query });
    assertSuccess(reply, 200);
    const { events, lastEventId = null, hasMore } = reply.body;
    return { events: known(events), lastEventId, hasMore };
  };

  async function refuse({ apiKey }: Buyer, query: Record<string, string>, message: RegExp): Promise<void> {
    const reply = await scene.buyers.events(apiKey, query);
    assertRefusal(reply, 400, 'BAD_REQUEST');
    assert.match(known(reply.body.message), message);
  }

  for (const [why, query, message] of REFUSED)
    test(`${why} is refused`, async () => refuse(await scene.buyer(), query, message));

  test('the id of another account’s event, or of one that never was, is refused', async () => {
    const [buyer, other] = [await scene.buyer(), await scene.buyer()];
    const { lastEventId } = await read(other);
    await refuse(buyer, { after: known(lastEventId ?? undefined) }, /^after/);
    const own = known((await read(buyer)).lastEventId ?? undefined);
    const later = `${own.slice(0, 12)}7fff${own.slice(16)}`;
    await refuse(buyer, { after: later }, /^after/);
  });

  test('a key without webhooks:read is refused', async () => {
    const { apiKey } = await scene.buyer({ scopes: ['orders:read'] });
    assertRefusal(await scene.buyers.events(apiKey), 403, 'FORBIDDEN');
  });

  test('an account without events has none, and nowhere to go on', async () => {
    const buyer = await scene.buyer({ balanceUsdt: 0 });
    for (const query of [{}, { after: 'latest' }, { limit: 1_000 }])
      assert.deepEqual(await read(buyer, query), { events: [], lastEventId: null, hasMore: false });
  });

  test('events come in order, with what they say, page by page, and by their types', async () => {
    const buyer = await scene.buyer();
    const { accountId } = buyer;
    const productId = await scene.product({ stock: 5 });
    const webhook = { url: 'https://shop.test/', events: ['order.failed'], balanceThresholdUsdt: 98 };
    assertSuccess(await scene.buyers.setWebhook(buyer.apiKey, webhook), 200);
    const { orderId, createdAt } = (await scene.buy(buyer, productId)).body;
    const manual = await scene.product({ type: 'manual' });
    const waits = known((await scene.buy(buyer, manual)).body.orderId);
    const fails = known((await scene.buy(buyer, manual)).body.orderId);
    await ok(scene.operator.moveOrder(waits, 'complete', { items: ['text'] }));
    await ok(scene.operator.moveOrder(fails, 'fail', {}));
    await ok(scene.operator.adjustOrder(known(orderId), 'replace', { items: [0] }, randomUUID()));
    await ok(scene.operator.adjustOrder(known(orderId), 'refund', { amountUsdt: 1 }, randomUUID()));
    await ok(scene.operator.credit(accountId, 5, 'second deposit'));
    const all = await read(buyer);
    const bodies = all.events.map(({ eventId, createdAt: at, ...body }) => {
      assert.match(eventId, /^evt_[0-9a-f]{20}$/);
      assert.ok(at >= known(createdAt) - 60_000);
      return body;
    });
    assert.deepEqual(bodies, [
      { amountUsdt: 100, balanceUsdt: 100, reference: 'first deposit', type: 'balance.credited' },
      { orderId, type: 'order.completed' },
      { balanceUsdt: 96.5, thresholdUsdt: 98, type: 'balance.low' },
      { orderId: waits, type: 'order.completed' },
      { orderId: fails, type: 'order.failed' },
      { orderId, items: [0], type: 'order.items_replaced' },
      { orderId, refundedUsdt: 1, totalRefundedUsdt: 1, type: 'order.refunded' },
      { amountUsdt: 5, balanceUsdt: 99, reference: 'second deposit', type: 'balance.credited' },
    ]);
    assert.equal(all.hasMore, false);
    assert.equal(all.events[1]?.createdAt, createdAt);
    assert.deepEqual(Object.keys(all.events[1] ?? {}), ['orderId', 'eventId', 'type', 'createdAt']);

    const pages = [];
    for (let after: string | undefined, more = true; more; ) {
      const page = await read(buyer, { limit: 2, ...(after === undefined ? {} : { after }) });
      pages.push(...page.events);
      after = known(page.lastEventId ?? undefined);
      more = known(page.hasMore);
    }
    assert.deepEqual(pages, all.events);
    const failed = await read(buyer, { types: 'order.failed,balance.low' });
    assert.deepEqual(failed.events, [all.events[2], all.events[4]]);
    assert.deepEqual(
      (await read(buyer, { after: known(all.events[4]?.eventId), types: 'order.failed' })).events,
      [],
    );
    const { lastEventId } = await read(buyer, { after: 'latest', wait: 30 });
    assert.deepEqual(await read(buyer, { after: known(lastEventId ?? undefined) }), {
      ...{ events: [], lastEventId, hasMore: false },
    });
  });

  test('changes of catalog and stock come to every account, each with its products', async () => {
    const buyer = await scene.buyer();
    const types = 'catalog.updated,stock.changed';
    let { lastEventId: after } = await read(buyer, { after: 'latest', types });
    const productId = await scene.product({ stock: 2 });
    const wanted = new Set(types.split(','));
    await eventually('both have come', async () => {
      const page = await read(buyer, { types, wait: 1, ...(after === null ? {} : { after }) });
      after = page.lastEventId;
      for (const { type, productIds, productId: last } of page.events) {
        assert.ok(Array.isArray(productIds) && productIds.at(-1) === last);
        if (productIds.includes(productId)) wanted.delete(type);
      }
      return wanted.size === 0;
    });
    const stranger = await scene.buyer();
    await refuse(stranger, { after: known(after ?? undefined) }, /^after/);
  });

  test('a request that waits is answered when there is an event, also of a type that it wants alone', async () => {
    const buyer = await scene.buyer();
    const productId = await scene.product({ stock: 2 });
    const { lastEventId } = await read(buyer);
    const query = { after: known(lastEventId ?? undefined), wait: 25 };
    const answers = [read(buyer, query), read(buyer, { ...query, types: 'balance.credited' })];
    await waiting(2);
    const { orderId } = (await scene.buy(buyer, productId)).body;
    const [first] = await Promise.all(answers.slice(0, 1));
    assert.deepEqual(
      first?.events.map((event) => [event.type, event.orderId]),
      [['order.completed', orderId]],
    );
    await ok(scene.operator.credit(buyer.accountId, 7, 'while it waits'));
    const [, second] = await Promise.all(answers);
    assert.deepEqual(
      second?.events.map(({ reference }) => reference),
      ['while it waits'],
    );
  });

  test('a request that waits with a key that was replaced meanwhile is told nothing', async () => {
    const buyer = await scene.buyer({ balanceUsdt: 0 });
    const answer = scene.buyers.events(buyer.apiKey, { types: OWN, wait: 25 });
    await waiting(1);
    await scene.freshKey(buyer.accountId);
    await ok(scene.operator.credit(buyer.accountId, 7, 'not for the old key'));
    assertRefusal(await answer, 401, 'UNAUTHORIZED');
  });

  test('a request that waited in vain says where to go on', async () => {
    const buyer = await scene.buyer({ balanceUsdt: 0 });
    assert.deepEqual(await read(buyer, { wait: '0.2' }), { events: [], lastEventId: null, hasMore: false });
    await ok(scene.operator.credit(buyer.accountId, 7, 'a deposit'));
    const { lastEventId } = await read(buyer);
    const again = { after: known(lastEventId ?? undefined), wait: '0.2' };
    assert.deepEqual(await read(buyer, again), { events: [], lastEventId, hasMore: false });
  });

  test('four requests of an account wait at once; who hangs up makes room', async () => {
    const buyer = await scene.buyer({ balanceUsdt: 0 });
    const { accountId, apiKey } = buyer;
    const open = Array.from({ length: 4 }, () => hanging(apiKey));
    await waiting(4);
    const refused = await scene.buyers.events(apiKey, { wait: 5, types: OWN });
    assertRefusal(refused, 429, 'RATE_LIMITED');
    const retrySeconds = Number(refused.headers['retry-after']);
    assert.ok(retrySeconds >= 1 && retrySeconds <= 30, `Retry-After: ${retrySeconds}`);
    assertSuccess(await scene.buyers.events(apiKey), 200);
    open[0]?.destroy();
    await eventually('a place is free', async () => {
      const reply = await scene.buyers.events(apiKey, { wait: '0.001', types: OWN });
      return reply.status === 200;
    });
    for (const each of open) each.destroy();
    await waiting(0);
    await ok(scene.operator.credit(accountId, 1, 'afterwards'));
    assert.equal((await read(buyer, { wait: 1 })).events.length, 1);
  });

  /** Until so many requests wait: other cases have none. */
  async function waiting(count: number): Promise<void> {
    await eventually(`${count} requests wait`, async () => {
      const { text } = await scene.operator.request('GET', '/metrics', {});
      return new RegExp(`^purser_event_requests_waiting ${count}$`, 'm').test(text);
    });
  }

  function hanging(apiKey: string) {
    const { hostname, port, pathname } = new URL(scene.server.buyerUrl);
    const path = `${pathname}/events?wait=30&types=${OWN}`;
    const sent = request({ host: hostname, port, path, headers: { 'x-api-key': apiKey } });
    sent.on('error', () => {});
    sent.end();
    return sent;
  }
});
