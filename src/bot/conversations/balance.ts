/** `/balance`: the wallet, and what moved it lately. */
import { Composer } from 'grammy';
import { accountOf, type BotContext, say } from '../context.ts';
import type { Movement } from '../shop/shop.ts';
import { fill, type TextName, type Texts, timeText } from '../texts/text.ts';

const MOVEMENTS = 8;

const KINDS: Readonly<Record<string, TextName>> = {
  purchase: 'kindPurchase',
  credit: 'kindCredit',
  adjustment: 'kindAdjustment',
  deposit: 'kindDeposit',
  hold: 'kindHold',
  release: 'kindRelease',
  refund: 'kindRefund',
  return: 'kindReturn',
};

export function balance(): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  const tell = async (ctx: BotContext) => {
    const { texts, shop } = ctx;
    const { accountId, balanceUsdt, heldUsdt } = await accountOf(ctx);
    const movements = await shop.movements(accountId, MOVEMENTS);
    const lines = [
      fill(texts.balance, { balance: balanceUsdt }),
      ...(heldUsdt > 0 ? [fill(texts.held, { held: heldUsdt })] : []),
      '',
      ...(movements.length === 0 ? [texts.noMovements] : movements.map((each) => lineOf(texts, each))),
    ];
    await say(ctx, lines.join('\n'));
  };
  composer.command('balance', tell);
  composer.callbackQuery('menu:balance', tell);
  return composer;
}

function lineOf(texts: Texts, { at, kind, amountUsdt, orderId }: Movement): string {
  const name = KINDS[kind];
  const about = orderId === undefined ? '' : fill(texts.aboutOrder, { orderId });
  return fill(texts.movement, {
    at: timeText(at),
    kind: name === undefined ? kind : texts[name],
    amount: amountUsdt > 0 ? `+${amountUsdt}` : amountUsdt,
    about,
  });
}
