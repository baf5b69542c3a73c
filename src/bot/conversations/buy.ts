/**
 * `/buy`: asks with the total, and buys once when the answer is yes.
 *
 * Invariant: a question's order is opened with the question's own key, and paid at the total that was shown; how it ended
 * is on disk before the chat is told. So a press that is carried out again, after a kill or because it was pressed twice,
 * finds the same order, and never buys another.
 */
import { Composer, InlineKeyboard } from 'grammy';
import {
  accountOf,
  answer,
  type BotContext,
  chatIdOf,
  questionIdOf,
  say,
  show,
  wordsOf,
} from '../context.ts';
import { ShopRefusal } from '../shop/operator-calls.ts';
import type { Order } from '../shop/shop.ts';
import type { Purchase, Question } from '../state/question.ts';
import { fill, type TextName, type Values } from '../texts/text.ts';

/** Texts for the refusals of an order, or of its payment. */
const REFUSALS: Readonly<Record<string, TextName>> = {
  INSUFFICIENT_BALANCE: 'buyInsufficient',
  OUT_OF_STOCK: 'buyOutOfStock',
  PRICE_CHANGED: 'buyPriceChanged',
  NOT_FOUND: 'buyGone',
  BAD_REQUEST: 'buyBadQuantity',
  RATE_LIMITED: 'buyLimit',
  SALES_CLOSED: 'buyClosed',
  PURCHASE_FAILED: 'buyFailed',
  PROVIDER_TIMEOUT: 'buyFailed',
};

export function buy(): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('buy', (ctx) => ask(ctx, wordsOf(ctx)));
  composer.callbackQuery(/^buy:(\d+)$/, (ctx) => ask(ctx, [ctx.match[1] ?? '']));
  return composer;
}

/** The buttons of a question. */
export function yesOrNo({ texts }: BotContext, id: string): InlineKeyboard {
  return new InlineKeyboard().text(texts.yes, `yes:${id}`).text(texts.no, `no:${id}`);
}

async function ask(ctx: BotContext, words: readonly string[]): Promise<void> {
  const { texts, shop } = ctx;
  const recipient = words.find((word) => word.startsWith('@'));
  const [product = '', times = '1'] = words.filter((word) => word !== recipient);
  const [productId, quantity] = [Number(product), Number(times)];
  if (!(isCount(productId) && isCount(quantity))) return say(ctx, fill(texts.buyHow));
  const { accountId } = await accountOf(ctx);
  const price = await shop.price(accountId, productId, quantity);
  const known = price?.visible === true ? await shop.product(productId) : undefined;
  if (price === undefined || known === undefined) return say(ctx, fill(texts.buyNoProduct, { productId }));
  const { name, requiresRecipient } = known;
  const own = ctx.from?.username;
  const to = recipient ?? (own === undefined ? undefined : `@${own}`);
  if (requiresRecipient && to === undefined)
    return say(ctx, fill(texts.buyRecipient, { productId, quantity }));
  await askFor(ctx, {
    productId,
    product: name,
    quantity,
    totalUsdt: price.totalUsdt,
    ...(requiresRecipient && to !== undefined ? { recipient: to } : {}),
  });
}

/** Asks about a purchase; the same update asks the same again, for its first question may have been seen, and answered. */
async function askFor(ctx: BotContext, wanted: Purchase, isAgain = false): Promise<void> {
  const { state, texts } = ctx;
  const [chatId, id] = [chatIdOf(ctx), questionIdOf(ctx)];
  const asked = state.question(chatId, id)?.purchase;
  if (asked === undefined) state.keepQuestion({ chatId, id, purchase: wanted });
  const purchase = asked ?? wanted;
  const text = purchase.recipient === undefined ? texts.buyAsk : texts.buyAskFor;
  await say(ctx, fill(isAgain ? texts.buyAskAgain : text, valuesOf(purchase)), yesOrNo(ctx, id));
}

/** The press of Yes, or of No, below a question about a purchase. */
export async function answerPurchase(
  ctx: BotContext,
  question: Question,
  purchase: Purchase,
  isYes: boolean,
  key: string,
): Promise<void> {
  if (question.end !== undefined) return tellEnd(ctx, question, purchase);
  await answer(ctx);
  const { text, values, open }: Ended = isYes ? await carryOut(ctx, purchase, key) : { text: 'buyNo' };
  const end = { text, values: { ...valuesOf(purchase), ...values } };
  const asks = text === 'buyPriceChanged' ? { asks: questionIdOf(ctx) } : {};
  const whole = { ...question, end, ...asks, ...(open === undefined ? {} : { opened: open.orderId }) };
  ctx.state.keepQuestion(whole);
  await tellEnd(ctx, whole, purchase);
}

interface Ended {
  readonly text: TextName;
  readonly values?: Values;
  /** The order that is to be ended. */
  readonly open?: Order;
}

async function carryOut(ctx: BotContext, purchase: Purchase, key: string): Promise<Ended> {
  const { shop } = ctx;
  const { accountId } = await accountOf(ctx);
  let open: Order | undefined;
  try {
    open = await shop.openOrder(accountId, purchase, key);
    const { orderId, status, totalPriceUsdt } =
      open.status === 'processing' ? await shop.pay(open, purchase.totalUsdt) : open;
    const values = { orderId, total: totalPriceUsdt };
    if (status === 'completed') return { text: 'bought', values };
    return { text: status === 'pending_delivery' ? 'boughtLater' : 'buyFailed', values };
  } catch (error) {
    const text = ShopRefusal.is(error) ? REFUSALS[error.code] : undefined;
    if (text === undefined) throw error;
    return { text, ...(open === undefined ? {} : { open }) };
  }
}

/** Says how it ended, and does what follows, for the first time or again: nothing of it buys anything. */
async function tellEnd(ctx: BotContext, question: Question, purchase: Purchase): Promise<void> {
  const { texts, shop } = ctx;
  const { end, opened, asks } = question;
  if (end === undefined) return;
  await answer(ctx, end.text, end.values);
  if (opened !== undefined) await shop.cancel(opened);
  await show(ctx, fill(texts[end.text], end.values));
  // Only the press that was told of the new price asks; any later one has been answered.
  if (asks !== questionIdOf(ctx)) return;
  const { accountId } = await accountOf(ctx);
  const price = await shop.price(accountId, purchase.productId, purchase.quantity);
  if (price?.visible === true) await askFor(ctx, { ...purchase, totalUsdt: price.totalUsdt }, true);
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0;
}

function valuesOf({ product, quantity, totalUsdt, recipient = '' }: Purchase): Values {
  return { product, quantity, total: totalUsdt, recipient };
}
