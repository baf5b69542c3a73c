/** `/start`: makes the chat's account, and says what there is to do. */
import { Composer } from 'grammy';
import { accountOf, type BotContext, say } from '../context.ts';
import { fill } from '../texts/text.ts';
import { menu } from './menu.ts';

export function start(): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('start', async (ctx) => {
    const { accountId, balanceUsdt } = await accountOf(ctx);
    const { texts } = ctx;
    await say(ctx, fill(texts.start, { accountId, balance: balanceUsdt }), menu(texts));
  });
  return composer;
}
