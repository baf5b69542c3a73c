/**
 * Courtesy copies of 100 orders a second, made by API from twenty chats, within Telegram's limits. How long they take is told
 * and not judged; that they come, each once, is.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../../support/eventually.ts';
import { Random, roundsOr } from '../../support/random.ts';
import { BotApi } from '../../support/telegram/bot-api.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { BotProcess } from './bot-process.ts';
import { Person } from './person.ts';
import { itemIdsIn, Shop } from './shop.ts';

const CHATS = 20;
const ORDERS_PER_SECOND = 100;
/** Some thousand kilometres to Telegram. */
const LATENCY_MS = 40;
const ORDERS = roundsOr(20) * ORDERS_PER_SECOND;

test(`copies of ${ORDERS} orders, ${ORDERS_PER_SECOND} a second from ${CHATS} chats`, {
  timeout: 600_000,
}, async (t) => {
  const folder = await createTemporaryFolder('copies');
  const shop = await Shop.open(join(folder.path, 'node'));
  const api = await BotApi.start();
  api.latencyMs = LATENCY_MS;
  const { operatorUrl } = shop.node;
  const operatorToken = await shop.botToken();
  const bot = await BotProcess.start({
    folder: join(folder.path, 'bot'),
    telegramUrl: api.url,
    operatorUrl,
    operatorToken,
  });
  t.after(async () => {
    await bot.stop();
    await api.stop();
    await shop.close();
    await folder.remove();
  });
  const { productId, priceUsdt } = shop.goodsOf('items');
  const persons = Array.from({ length: CHATS }, () => {
    return new Person(api.chat(), shop, new Random(1), { isPoor: false, mayBlock: false });
  });
  const keys = await Promise.all(persons.map((person) => opened(person, shop)));

  /** By item: when the order was answered, by `performance.now()`. */
  const answeredMs = new Map<string, number>();
  const before = persons.map(({ chat }) => chat.shown.length);
  const fromMs = performance.now();
  const buying: Promise<void>[] = [];
  for (let index = 0; index < ORDERS; index += 1) {
    const waitMs = fromMs + (index * 1_000) / ORDERS_PER_SECOND - performance.now();
    if (waitMs > 1) await delay(waitMs);
    buying.push(buy(keys[index % CHATS] ?? ''));
  }
  async function buy(key: string): Promise<void> {
    const body = { productId, quantity: 1, expectedPriceUsdt: priceUsdt };
    const { status, text, body: order } = await shop.buyers.purchase(key, randomUUID(), body);
    assert.equal(status, 201, text);
    for (const id of itemIdsIn(order.delivery?.items?.join('\n') ?? ''))
      answeredMs.set(id, performance.now());
  }
  await Promise.all(buying);
  const tookMs = performance.now() - fromMs;

  const shown = () => persons.flatMap(({ chat }, index) => chat.shown.slice(before[index]));
  /** By item, as a person sees it first: in a message or in a file. */
  const seenMs = () => {
    const times = new Map<string, number>();
    for (const { text, document, atMs } of shown())
      for (const id of itemIdsIn(`${text}\n${document?.bytes ?? ''}`))
        times.set(id, Math.min(atMs, times.get(id) ?? atMs));
    return times;
  };
  await eventually('all copies come', () => bot.failure !== undefined || seenMs().size === ORDERS, 120_000);
  assert.equal(bot.failure, undefined);
  const waits = [...seenMs()].map(([id, ms]) => ms - (answeredMs.get(id) ?? 0)).sort((a, b) => a - b);
  const at = (share: number) => `${Math.round(waits[Math.floor(share * (ORDERS - 1))] ?? 0)} ms`;
  t.diagnostic(`${ORDERS} orders in ${(tookMs / 1_000).toFixed(1)} s, from the order's answer to its copy:`);
  t.diagnostic(
    `Telegram answers within ${LATENCY_MS} ms; median ${at(0.5)}, p90 ${at(0.9)}, p99 ${at(0.99)}, longest ${at(1)}`,
  );
  t.diagnostic(`${shown().length} messages and files, ${api.limits.refusals} refused with 429`);
});

/** The key of an account with money and without a limit of requests. */
async function opened(person: Person, shop: Shop): Promise<string> {
  await person.start();
  const path = `/accounts/${person.accountId}`;
  await shop.json('PATCH', path, { rateLimitPerMinute: null });
  await shop.json('POST', `${path}/credits`, { amountUsdt: 10_000, reference: `for ${person.accountId}` });
  return (await shop.json<{ apiKey: string }>('POST', `${path}/key`, {})).apiKey;
}
