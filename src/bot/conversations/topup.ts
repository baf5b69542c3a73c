/** `/topup`: where to pay, and how much exactly. */
import { Composer, InlineKeyboard } from 'grammy';
import { accountOf, type BotContext, say, wordsOf } from '../context.ts';
import { ShopRefusal } from '../shop/operator-calls.ts';
import { fill, timeText } from '../texts/text.ts';

const AMOUNTS = [10, 50, 100, 500];

export function topup(): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('topup', (ctx) => {
    const [amount] = wordsOf(ctx);
    return amount === undefined ? askAmount(ctx) : open(ctx, amount);
  });
  composer.callbackQuery('menu:topup', askAmount);
  composer.callbackQuery(/^topup:([\d.]+)(?::(\w+))?$/, (ctx) => open(ctx, ctx.match[1] ?? '', ctx.match[2]));
  return composer;
}

function askAmount(ctx: BotContext): Promise<void> {
  const buttons = new InlineKeyboard();
  for (const amount of AMOUNTS) buttons.text(String(amount), `topup:${amount}`);
  return say(ctx, fill(ctx.texts.topupAsk), buttons);
}

async function open(ctx: BotContext, text: string, chosen?: string): Promise<void> {
  const { texts, shop } = ctx;
  const amount = Number(text.replace(',', '.'));
  if (!(amount > 0)) return say(ctx, fill(texts.topupBad));
  const networks = await shop.networks();
  const [network = chosen] = networks.length === 1 ? networks : [chosen];
  if (networks.length === 0) return say(ctx, fill(texts.topupNone));
  if (network === undefined) {
    const buttons = new InlineKeyboard();
    for (const each of networks) buttons.text(each, `topup:${amount}:${each}`);
    return say(ctx, fill(texts.topupNetwork, { amount }), buttons);
  }
  const { accountId } = await accountOf(ctx);
  try {
    const { payUsdt, address, expiresAt } = await shop.deposit(accountId, network, amount);
    await say(ctx, fill(texts.topup, { payUsdt, network, address, expiresAt: timeText(expiresAt) }));
  } catch (error) {
    if (ShopRefusal.is(error, 'RATE_LIMITED')) return say(ctx, fill(texts.topupTooMany));
    if (ShopRefusal.is(error, 'BAD_REQUEST')) return say(ctx, fill(texts.topupBad));
    throw error;
  }
}
