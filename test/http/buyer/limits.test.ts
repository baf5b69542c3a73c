/** SPEC.md §8 over real HTTP, on both transports, with a clock that the test turns. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { BuyerReply } from '../../support/buyer-client.ts';
import { head, RawClient } from '../transport/raw-client.ts';
import { onBothTransports } from '../transport/under-test.ts';
import { VirtualShop } from './virtual-shop.ts';

const NOBODYS_KEY = `pk_live_00000001${'0'.repeat(36)}`;

function limitFields({ headers }: BuyerReply): readonly (string | undefined)[] {
  return [headers['ratelimit-policy'], headers.ratelimit, headers['retry-after']].map((value) =>
    value === undefined ? undefined : String(value),
  );
}

function assertRefused(reply: BuyerReply, status: number, error: string): void {
  assert.deepEqual([reply.status, reply.body.error], [status, error], reply.text);
}

function retryAfterMs(reply: BuyerReply): number {
  assertRefused(reply, 429, 'RATE_LIMITED');
  assert.match(String(reply.headers['retry-after']), /^[1-9][0-9]*$/);
  return Number(reply.headers['retry-after']) * 1_000;
}

onBothTransports('the rate limit', (open) => {
  it('admits exactly as many requests as the limit, then says how long to wait, and that is true', async () => {
    await using shop = await VirtualShop.open(open);
    const { apiKey } = await shop.buyer(3);
    const ask = () => shop.buyers.balance(apiKey);
    assert.deepEqual(limitFields(await ask()), ['"default";q=3;w=60', '"default";r=2;t=60', undefined]);
    shop.clock.nowMs += 10_500;
    assert.deepEqual(limitFields(await ask()), ['"default";q=3;w=60', '"default";r=1;t=50', undefined]);
    assert.deepEqual(limitFields(await ask()), ['"default";q=3;w=60', '"default";r=0;t=50', undefined]);

    shop.clock.nowMs += 250;
    for (let repeat = 0; repeat < 5; repeat += 1) {
      const refused = await ask();
      assertRefused(refused, 429, 'RATE_LIMITED');
      assert.deepEqual(limitFields(refused), ['"default";q=3;w=60', '"default";r=0;t=50', '50']);
    }
    shop.clock.nowMs += 50_000;
    assert.equal(
      (await ask()).status,
      200,
      'waiting as long as it said works, refused requests notwithstanding',
    );
    assertRefused(await ask(), 429, 'RATE_LIMITED');
  });

  it('has its fields on every answer of the account, whatever it says', async () => {
    await using shop = await VirtualShop.open(open);
    const { accountId, apiKey } = await shop.buyer(1_000);
    await shop.credit(accountId, 2);
    const replies = [
      await shop.buyers.products(apiKey),
      await shop.buy(apiKey, 'bought'),
      await shop.buy(apiKey, 'bought'),
      await shop.buy(apiKey),
      await shop.buyers.order(apiKey, 1),
      await shop.buyers.order(apiKey, 2),
      await shop.buyers.raw('HEAD', '/balance', { 'x-api-key': apiKey }),
      await shop.buyers.raw('POST', '/orders', { 'x-api-key': apiKey }, 'no JSON'),
    ];
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 201, 201, 402, 200, 404, 200, 400],
    );
    for (const [index, reply] of replies.entries()) {
      assert.equal(reply.headers.ratelimit, `"default";r=${999 - index};t=60`);
      assert.equal(reply.headers['ratelimit-policy'], '"default";q=1000;w=60');
    }
  });

  it('is nobody else’s: accounts count apart, health and unknown routes count for nothing', async () => {
    await using shop = await VirtualShop.open(open);
    const [first, second] = [await shop.buyer(1), await shop.buyer(1)];
    for (const path of ['/health', '/nowhere', '/orders']) {
      const reply = await shop.buyers.raw('GET', path, { 'x-api-key': first.apiKey });
      assert.deepEqual(limitFields(reply), [undefined, undefined, undefined]);
    }
    assert.equal((await shop.buyers.balance(first.apiKey)).status, 200);
    retryAfterMs(await shop.buyers.balance(first.apiKey));
    assert.equal((await shop.buyers.balance(second.apiKey)).status, 200);
  });

  it('follows a change at once, and counts what was before; a new key begins afresh', async () => {
    await using shop = await VirtualShop.open(open);
    const { accountId, apiKey } = await shop.buyer(2);
    const limitTo = (rateLimitPerMinute: number | null) =>
      shop.submit({ kind: 'UpdateAccount', accountId, changes: { rateLimitPerMinute } });
    await shop.buyers.balance(apiKey);
    await shop.buyers.balance(apiKey);
    retryAfterMs(await shop.buyers.balance(apiKey));
    await limitTo(3);
    assert.equal((await shop.buyers.balance(apiKey)).status, 200);
    await limitTo(2);
    retryAfterMs(await shop.buyers.balance(apiKey));
    const next = await shop.freshKey(accountId);
    for (let count = 0; count < 2; count += 1) assert.equal((await shop.buyers.balance(next)).status, 200);
    retryAfterMs(await shop.buyers.balance(next));
    await limitTo(null);
    assert.equal((await shop.buyers.balance(next)).status, 200);
  });
});

onBothTransports('failed authentications', (open) => {
  it('are 401 twenty times in five minutes, then 429 with a wait that is true', async () => {
    await using shop = await VirtualShop.open(open);
    const ask = () => shop.buyers.balance(NOBODYS_KEY);
    for (let attempt = 0; attempt < 20; attempt += 1) {
      shop.clock.nowMs += 1_000;
      assertRefused(await ask(), 401, 'UNAUTHORIZED');
    }
    const waitMs = retryAfterMs(await ask());
    assert.equal(waitMs, 300_000 - 19_000 + 1_000, 'a millisecond more, for timers, is a second more');
    shop.clock.nowMs += waitMs - 2_000;
    retryAfterMs(await ask());
    shop.clock.nowMs += 2_000;
    assertRefused(await ask(), 401, 'UNAUTHORIZED');
  });

  it('do not concern a valid key from the same address, nor a request without a key', async () => {
    await using shop = await VirtualShop.open(open);
    const { apiKey } = await shop.buyer(120);
    for (let attempt = 0; attempt < 25; attempt += 1) await shop.buyers.balance(NOBODYS_KEY);
    retryAfterMs(await shop.buyers.balance(NOBODYS_KEY));
    assert.equal((await shop.buyers.balance(apiKey)).status, 200);
    for (let request = 0; request < 25; request += 1) {
      assertRefused(await shop.buyers.raw('GET', '/balance'), 401, 'UNAUTHORIZED');
    }
    assertRefused(await shop.buyers.raw('GET', '/nowhere', { 'x-api-key': NOBODYS_KEY }), 404, 'NOT_FOUND');
  });

  it('count for the address a trusted proxy names, the one it appended last', async () => {
    await using shop = await VirtualShop.open(open, { trustProxy: ['127.0.0.1/32'] });
    const from = (...lines: string[]) =>
      ask(
        shop,
        lines.map((line) => `x-forwarded-for: ${line}`),
      );
    for (let attempt = 0; attempt < 20; attempt += 1) {
      assert.equal(await from(`203.0.113.${attempt}, 198.51.100.1`), 401);
    }
    assert.equal(await from('198.51.100.1'), 429);
    assert.equal(await from('203.0.113.99', '198.51.100.1'), 429, 'a line that the client sent itself');
    assert.equal(await from('198.51.100.2'), 401, 'another client behind the same proxy');
    assert.equal(await from('198.51.100.2', 'nonsense'), 401, 'that one is the proxy');
  });
});

onBothTransports('the low-balance protection', (open) => {
  it('refuses purchases after so many refusals in a minute, until the minute has passed', async () => {
    await using shop = await VirtualShop.open(open, { lowBalanceLimit: 3 });
    const { apiKey } = await shop.buyer(null);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      assertRefused(await shop.buy(apiKey), 402, 'INSUFFICIENT_BALANCE');
      shop.clock.nowMs += 2_000;
    }
    const waitMs = retryAfterMs(await shop.buy(apiKey, 'refused'));
    assert.ok(waitMs <= 55_000);
    assert.equal((await shop.buyers.balance(apiKey)).status, 200, 'reads go on');
    shop.clock.nowMs += waitMs;
    assertRefused(await shop.buy(apiKey), 402, 'INSUFFICIENT_BALANCE');
    retryAfterMs(await shop.buy(apiKey));
  });

  it('ends when the wallet is credited, and consumes no idempotency key', async () => {
    await using shop = await VirtualShop.open(open, { lowBalanceLimit: 3 });
    const { accountId, apiKey } = await shop.buyer(null);
    for (let attempt = 0; attempt < 3; attempt += 1) await shop.buy(apiKey);
    retryAfterMs(await shop.buy(apiKey, 'refused'));
    await shop.credit(accountId, 2);
    const bought = await shop.buy(apiKey, 'refused');
    assert.equal(bought.status, 201);
    assert.equal(bought.headers['idempotent-replayed'], undefined);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      assertRefused(await shop.buy(apiKey), 402, 'INSUFFICIENT_BALANCE');
    }
    retryAfterMs(await shop.buy(apiKey));
  });

  it('counts repeated refusals, and no other answer', async () => {
    await using shop = await VirtualShop.open(open, { lowBalanceLimit: 3 });
    const { accountId, apiKey } = await shop.buyer(null);
    await shop.credit(accountId, 2);
    for (let attempt = 0; attempt < 9; attempt += 1) {
      await shop.buyers.purchase(apiKey, `price ${attempt}`, { productId: 1, expectedPriceUsdt: 9 });
    }
    assert.equal((await shop.buy(apiKey)).status, 201);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      assertRefused(await shop.buy(apiKey, 'the same'), 402, 'INSUFFICIENT_BALANCE');
    }
    retryAfterMs(await shop.buy(apiKey, 'the same'));
  });

  it('is of one account, and off at 0', async () => {
    await using shop = await VirtualShop.open(open, { lowBalanceLimit: 1 });
    const [first, second] = [await shop.buyer(null), await shop.buyer(null)];
    assertRefused(await shop.buy(first.apiKey), 402, 'INSUFFICIENT_BALANCE');
    retryAfterMs(await shop.buy(first.apiKey));
    assertRefused(await shop.buy(second.apiKey), 402, 'INSUFFICIENT_BALANCE');
    await using without = await VirtualShop.open(open, { lowBalanceLimit: 0 });
    const { apiKey } = await without.buyer(null);
    for (let attempt = 0; attempt < 40; attempt += 1) {
      assertRefused(await without.buy(apiKey), 402, 'INSUFFICIENT_BALANCE');
    }
  });
});

/** The status that an attempt with a key that is nobody's gets, with these header lines. */
async function ask(shop: VirtualShop, lines: readonly string[]): Promise<number> {
  const client = await RawClient.connect(shop.port);
  client.send(head('GET', '/api/v1/buyer/balance', [`x-api-key: ${NOBODYS_KEY}`, ...lines]));
  const { status } = await client.reply();
  client.close();
  return status;
}
