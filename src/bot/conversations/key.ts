/**
 * `/key`, `/newkey`, `/stopkey`: the key of the chat's account.
 *
 * A key is shown once, and the shop keeps none that could be shown again. When a kill came between the shop's answer and
 * the chat, the next key of the same question takes the place of the one that nobody has seen.
 */
import { Composer } from 'grammy';
import { accountOf, answer, type BotContext, chatIdOf, questionIdOf, say, show } from '../context.ts';
import type { Question } from '../state/question.ts';
import { fill } from '../texts/text.ts';
import { yesOrNo } from './buy.ts';

export function key(): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('key', tell);
  composer.callbackQuery('menu:key', tell);
  composer.command('newkey', ask);
  composer.command('stopkey', stop);
  return composer;
}

async function tell(ctx: BotContext): Promise<void> {
  const { texts } = ctx;
  const { keyPrefix: prefix, keyActive } = await accountOf(ctx);
  if (prefix === undefined) return say(ctx, fill(texts.keyNone));
  await say(ctx, fill(texts.key, { prefix, state: keyActive === true ? texts.keyActive : texts.keyStopped }));
}

async function ask(ctx: BotContext): Promise<void> {
  const { texts, state } = ctx;
  const { keyPrefix: prefix } = await accountOf(ctx);
  const [chatId, id] = [chatIdOf(ctx), questionIdOf(ctx)];
  if (state.question(chatId, id) === undefined) state.keepQuestion({ chatId, id });
  const text = prefix === undefined ? fill(texts.newkeyAsk) : fill(texts.newkeyAskAgain, { prefix });
  await say(ctx, text, yesOrNo(ctx, id));
}

/** The press of Yes, or of No, below a question about a new key. */
export async function answerKey(
  ctx: BotContext,
  question: Question,
  isYes: boolean,
  idempotencyKey: string,
): Promise<void> {
  const { texts, state } = ctx;
  const end = question.end ?? ({ text: isYes ? 'newkeyDone' : 'newkeyNo', values: {} } as const);
  await answer(ctx, question.end && end.text);
  if (question.end === undefined) {
    if (isYes) await say(ctx, fill(texts.newkey, { apiKey: await newKey(ctx, idempotencyKey) }));
    state.keepQuestion({ ...question, end });
  }
  await show(ctx, fill(texts[end.text]));
}

async function newKey(ctx: BotContext, idempotencyKey: string): Promise<string> {
  const { accountId } = await accountOf(ctx);
  for (let times = 1; ; times += 1) {
    const apiKey = await ctx.shop.issueKey(accountId, `${idempotencyKey}-${times}`);
    if (apiKey !== undefined) return apiKey;
  }
}

async function stop(ctx: BotContext): Promise<void> {
  const { texts, shop } = ctx;
  const { accountId, keyPrefix: prefix } = await accountOf(ctx);
  if (prefix === undefined) return say(ctx, fill(texts.keyNone));
  await shop.stopKey(accountId);
  await say(ctx, fill(texts.stopkey, { prefix }));
}
