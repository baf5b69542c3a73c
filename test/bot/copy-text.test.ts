/** Copies within Telegram's bounds: a message, a caption, and a file that is too large for a bot. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  captionOf,
  type DeliveredOrder,
  documentOf,
  messageOf,
  textFileOf,
} from '../../src/bot/copies/copy-text.ts';
import type { Shop } from '../../src/bot/shop/shop.ts';
import { LANGUAGES } from '../../src/bot/texts/text.ts';
import { readHtml } from '../support/telegram/marked-text.ts';

const texts = LANGUAGES.en;

function delivered(
  orderId: number,
  items: readonly string[],
  more: Partial<DeliveredOrder> = {},
): DeliveredOrder {
  return {
    order: {
      orderId,
      accountId: 1,
      status: 'completed',
      productId: 1,
      quantity: items.length,
      totalPriceUsdt: 1.5,
      createdAt: 0,
    },
    product: 'A & <B>',
    instructions: '',
    items,
    downloadUrl: undefined,
    ...more,
  };
}

const textOf = (html: string) => readHtml(html).text;

it('a message has every item as long as it fits, to the last character', () => {
  const head = 'Order 7: 1 × A & <B>, 1.5 USDT (completed)\n\n';
  const fits = messageOf(texts, delivered(7, ['<'.repeat(4_096 - head.length)]));
  assert.equal(fits.isWhole, true);
  assert.equal(textOf(fits.html).length, 4_096);
  const more = messageOf(texts, delivered(7, ['<'.repeat(4_097 - head.length)]));
  assert.deepEqual([more.isWhole, textOf(more.html)], [false, `${head}The codes are in the file.`]);
});

it('a message leaves instructions out before it leaves out items, and marks many items as one block', () => {
  const items = Array.from({ length: 150 }, (_, index) => `I-${index}`);
  const { html } = messageOf(texts, delivered(7, items, { instructions: 'x'.repeat(4_000) }));
  assert.equal(html.includes('xxx'), false);
  assert.deepEqual(
    readHtml(html)
      .entities.filter(({ type }) => type !== 'bold')
      .map(({ type }) => type),
    ['pre'],
  );
  assert.ok(textOf(html).endsWith(items.join('\n')));
});

it('a caption has as much of its orders as fits, and always their numbers', () => {
  const few = [delivered(1, ['ONE']), delivered(2, ['TWO'])];
  assert.match(textOf(captionOf(texts, few)), /^Order 1: .*\nONE\nOrder 2: .*\nTWO$/);
  const long = [delivered(1, ['x'.repeat(600)]), delivered(2, ['y'.repeat(600)])];
  assert.match(textOf(captionOf(texts, long)), /^Order 1: .*\nOrder 2: .*\n\nThe codes are in the file\.$/);
  const many = Array.from({ length: 30 }, (_, index) => delivered(1_000_000 + index, ['x']));
  const caption = textOf(captionOf(texts, many));
  assert.ok(caption.length <= 1_024);
  for (const { order } of many) assert.ok(caption.includes(String(order.orderId)));
  const { name, bytes } = textFileOf(texts, few);
  assert.equal(name, 'orders-1-2.txt');
  assert.match(String(bytes), /^Order 1: 1 × A & <B>, .*\nONE\n\nOrder 2: .*\nTWO\n$/);
});

it('a file that is too large for a bot is one to download', async () => {
  const order = delivered(7, [], { downloadUrl: '/api/v1/buyer/orders/7/download' });
  const shop = (answer: unknown) => ({ file: async () => answer }) as unknown as Shop;
  const { html, file } = await documentOf(texts, shop('too-large'), order);
  assert.equal(file, undefined);
  assert.match(textOf(html), /GET \/api\/v1\/buyer\/orders\/7\/download/);
  const small = await documentOf(texts, shop(Buffer.from('x')), order);
  assert.deepEqual([small.file?.name, String(small.file?.bytes)], ['order-7', 'x']);
  assert.equal((await documentOf(texts, shop(undefined), order)).file, undefined);
});
