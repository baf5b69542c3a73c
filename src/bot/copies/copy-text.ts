/**
 * Orders as chats are told of them: a summary, the items in monospace so that a tap copies one, and a file of them. A
 * message that is too long for Telegram is its summary, and the items are in the file alone.
 */
import type { Order, Shop } from '../shop/shop.ts';
import { escaped, fill, fillPlain, plainOf, type TextName, type Texts, type Values } from '../texts/text.ts';

/** Characters of a message, and of a caption, without markup. */
const MOST_OF_MESSAGE = 4_096;
const MOST_OF_CAPTION = 1_024;
/** Telegram leaves out what is marked beyond a hundred places of a message. */
const MOST_MARKED = 90;
/** The largest file that a bot may send. */
const MOST_BYTES = 50_000_000;

const STATUSES: Readonly<Record<Order['status'], TextName>> = {
  processing: 'statusProcessing',
  pending_delivery: 'statusPending',
  completed: 'statusCompleted',
  failed: 'statusFailed',
  refunded: 'statusRefunded',
};

/** An order with what its product is called, and what it delivers now: nothing when it was refunded. */
export interface DeliveredOrder {
  readonly order: Order;
  readonly product: string;
  readonly instructions: string;
  readonly items: readonly string[];
  /** Where a file is, of an order that delivers one. */
  readonly downloadUrl: string | undefined;
}

export interface TelegramFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface Text {
  readonly html: string;
  /** All items are in it. */
  readonly isWhole: boolean;
}

export async function deliveredOrder(shop: Shop, order: Order): Promise<DeliveredOrder> {
  const { name = `#${order.productId}`, instructions = '' } =
    (await shop.recentProduct(order.productId)) ?? {};
  const { items = [], downloadUrl } = order.delivery ?? {};
  return { order, product: name, instructions, items, downloadUrl };
}

export function summaryOf(texts: Texts, { order, product }: DeliveredOrder): Values {
  const { orderId, quantity, totalPriceUsdt, status } = order;
  return { orderId, quantity, product, total: totalPriceUsdt, status: texts[STATUSES[status]] };
}

/** The message of one order. */
export function messageOf(texts: Texts, delivered: DeliveredOrder, most = MOST_OF_MESSAGE): Text {
  const heads = headLines(texts, delivered);
  const { items, instructions } = delivered;
  const marked = markedItems(items);
  const whole = [...heads, ...(instructions === '' ? [] : ['', escaped(instructions)]), '', marked].join(
    '\n',
  );
  const short = [...heads, '', marked].join('\n');
  for (const html of [whole, short])
    if (plainOf(html).length <= most) return { html: html.trimEnd(), isWhole: true };
  return { html: [...heads, '', texts.itemsInFile].join('\n'), isWhole: false };
}

/** The text below a file of several orders. */
export function captionOf(texts: Texts, orders: readonly DeliveredOrder[]): string {
  const [first] = orders;
  if (orders.length === 1 && first !== undefined) return messageOf(texts, first, MOST_OF_CAPTION).html;
  const whole = orders.flatMap((each) => [...headLines(texts, each), markedItems(each.items)]).join('\n');
  const items = orders.reduce((sum, each) => sum + each.items.length, 0);
  const heads = orders.flatMap((each) => headLines(texts, each)).join('\n');
  if (items <= MOST_MARKED && plainOf(whole).length <= MOST_OF_CAPTION) return whole;
  const short = `${heads}\n\n${texts.itemsInFile}`;
  if (plainOf(short).length <= MOST_OF_CAPTION) return short;
  return fill(texts.ordersTogether, { orderIds: idsOf(orders).join(', ') });
}

/** The text file of some orders, for whoever keeps it or reads it by a program: a line for each item. */
export function textFileOf(texts: Texts, orders: readonly DeliveredOrder[]): TelegramFile {
  const blocks = orders.map((delivered) =>
    [
      fillPlain(texts.order, summaryOf(texts, delivered)),
      ...(delivered.instructions === '' ? [] : [delivered.instructions]),
      ...delivered.items,
    ].join('\n'),
  );
  const ids = idsOf(orders);
  const name = ids.length === 1 ? `order-${ids[0]}.txt` : `orders-${ids[0]}-${ids.at(-1)}.txt`;
  return { name, bytes: Buffer.from(`${blocks.join('\n\n')}\n`) };
}

/** The file of an order that delivers one, or what is said when a bot can't send it. */
export async function documentOf(
  texts: Texts,
  shop: Shop,
  delivered: DeliveredOrder,
): Promise<{ readonly html: string; readonly file?: TelegramFile }> {
  const { order, downloadUrl = '' } = delivered;
  const { html } = messageOf(texts, delivered, MOST_OF_CAPTION);
  const bytes = await shop.file(order.orderId, MOST_BYTES);
  if (bytes === undefined) return { html };
  if (bytes === 'too-large') return { html: `${html}\n\n${fill(texts.fileTooLarge, { downloadUrl })}` };
  return { html, file: { name: `order-${order.orderId}`, bytes } };
}

function headLines(texts: Texts, delivered: DeliveredOrder): string[] {
  const { recipientUsername: recipient } = delivered.order;
  return [
    fill(texts.order, summaryOf(texts, delivered)),
    ...(recipient === undefined ? [] : [fill(texts.orderRecipient, { recipient })]),
  ];
}

function markedItems(items: readonly string[]): string {
  if (items.length > MOST_MARKED) return `<pre>${escaped(items.join('\n'))}</pre>`;
  return items.map((item) => `<code>${escaped(item)}</code>`).join('\n');
}

function idsOf(orders: readonly DeliveredOrder[]): number[] {
  return orders.map(({ order }) => order.orderId);
}
