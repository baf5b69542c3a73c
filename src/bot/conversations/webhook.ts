/** `/webhook`: where the account's events go, how the last ones went, and a test. */
import { Composer, InlineKeyboard } from 'grammy';
import { accountOf, type BotContext, say } from '../context.ts';
import { ShopRefusal } from '../shop/operator-calls.ts';
import { fill, timeText } from '../texts/text.ts';

const DELIVERIES = 5;

export function webhook(): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('webhook', tell);
  composer.callbackQuery('test', test);
  return composer;
}

async function tell(ctx: BotContext): Promise<void> {
  const { texts, shop } = ctx;
  const { accountId } = await accountOf(ctx);
  const { webhook: set } = (await shop.account(accountId)) ?? {};
  if (set === undefined || set === null) return say(ctx, texts.webhookNone);
  const deliveries = await shop.deliveries(accountId, DELIVERIES);
  const lines = deliveries.map(({ type, status, createdAt }) =>
    fill(texts.delivery, { at: timeText(createdAt), type, status }),
  );
  const head = fill(texts.webhook, { host: set.host, events: set.events.join(', ') });
  const rest = lines.length === 0 ? [texts.deliveriesNone] : lines;
  await say(ctx, [head, '', ...rest].join('\n'), new InlineKeyboard().text(texts.webhookTest, 'test'));
}

async function test(ctx: BotContext): Promise<void> {
  const { texts, shop } = ctx;
  const { accountId } = await accountOf(ctx);
  try {
    await say(ctx, fill(texts.webhookTested, { answer: await shop.testWebhook(accountId) }));
  } catch (error) {
    if (!ShopRefusal.is(error, 'NOT_FOUND')) throw error;
    await say(ctx, texts.webhookNone);
  }
}
