/** `/orders` and `/order`: what was bought, in pages, and one of them with its codes again. */
import { Composer, InlineKeyboard, InputFile } from 'grammy';
import { accountOf, type BotContext, chatIdOf, say, show, wordsOf } from '../context.ts';
import { deliveredOrder, documentOf, messageOf, summaryOf, textFileOf } from '../copies/copy-text.ts';
import type { Order } from '../shop/shop.ts';
import { fill, timeText } from '../texts/text.ts';

const PAGE = 8;
const BUTTONS_A_ROW = 4;

export function orders(): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('orders', (ctx) => list(ctx, undefined, say));
  composer.callbackQuery('menu:orders', (ctx) => list(ctx, undefined, say));
  composer.callbackQuery(/^orders:(.+)$/, (ctx) => list(ctx, ctx.match[1], show));
  composer.command('order', (ctx) => tell(ctx, wordsOf(ctx)[0]));
  composer.callbackQuery(/^order:(\d+)$/, (ctx) => tell(ctx, ctx.match[1]));
  return composer;
}

async function list(ctx: BotContext, cursor: string | undefined, tellPage: typeof say): Promise<void> {
  const { texts, shop } = ctx;
  const { accountId } = await accountOf(ctx);
  let page = await shop.orders(accountId, cursor, PAGE);
  // A page may be empty, and have others behind it.
  while (page.rows.length === 0 && page.nextCursor !== undefined)
    page = await shop.orders(accountId, page.nextCursor, PAGE);
  const { rows, nextCursor } = page;
  if (rows.length === 0) return tellPage(ctx, fill(texts.ordersNone));
  const lines = await Promise.all(rows.map((order) => rowOf(ctx, order)));
  const buttons = new InlineKeyboard();
  for (const [index, { orderId }] of rows.entries()) {
    if (index > 0 && index % BUTTONS_A_ROW === 0) buttons.row();
    buttons.text(String(orderId), `order:${orderId}`);
  }
  if (nextCursor !== undefined) buttons.row().text(texts.more, `orders:${nextCursor}`);
  await tellPage(ctx, [texts.ordersTitle, ...lines].join('\n'), buttons);
}

async function rowOf({ texts, shop }: BotContext, order: Order): Promise<string> {
  const delivered = await deliveredOrder(shop, order);
  return fill(texts.orderRow, { ...summaryOf(texts, delivered), at: timeText(order.createdAt) });
}

async function tell(ctx: BotContext, word = ''): Promise<void> {
  const { texts, shop } = ctx;
  const orderId = Number(word);
  if (!(Number.isSafeInteger(orderId) && orderId > 0)) return say(ctx, fill(texts.orderHow));
  const { accountId } = await accountOf(ctx);
  const order = await shop.order(accountId, orderId, true);
  if (order === undefined) return say(ctx, fill(texts.orderNone, { orderId }));
  const delivered = await deliveredOrder(shop, order);
  const { html, isWhole } = messageOf(texts, delivered);
  if (delivered.downloadUrl !== undefined) {
    const document = await documentOf(texts, shop, delivered);
    if (!('file' in document)) return say(ctx, document.html);
    const { file, html: caption } = document;
    await send(ctx, file, caption);
  } else if (isWhole) await say(ctx, html);
  else await send(ctx, textFileOf(texts, [delivered]), html);
}

async function send(
  ctx: BotContext,
  { name, bytes }: { readonly name: string; readonly bytes: Uint8Array },
  caption: string,
): Promise<void> {
  await ctx.api.sendDocument(chatIdOf(ctx), new InputFile(bytes, name), { caption, parse_mode: 'HTML' });
}
