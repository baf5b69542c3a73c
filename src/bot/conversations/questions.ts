/** The presses of Yes and No: each belongs to a question, which knows what it is about and how it ended. */
import { Composer } from 'grammy';
import { answer, type BotContext, chatIdOf, show } from '../context.ts';
import { fill } from '../texts/text.ts';
import { answerPurchase } from './buy.ts';
import { answerKey } from './key.ts';

export function questions(): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.callbackQuery(/^(yes|no):(.+)$/, async (ctx) => {
    const { state, texts, match, me } = ctx;
    const [, word, id = ''] = match;
    const question = state.question(chatIdOf(ctx), id);
    if (question === undefined) {
      await answer(ctx, 'questionOld');
      return show(ctx, fill(texts.questionOld));
    }
    // Bots of one shop may have the same chats, and messages of the same number there.
    const key = `bot${me.id}:${chatIdOf(ctx)}:${id}`;
    const { purchase } = question;
    if (purchase === undefined) return answerKey(ctx, question, word === 'yes', key);
    await answerPurchase(ctx, question, purchase, word === 'yes', key);
  });
  return composer;
}
