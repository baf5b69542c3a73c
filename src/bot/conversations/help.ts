/** `/help`, and whatever else somebody writes. */
import { Composer } from 'grammy';
import { type BotContext, say } from '../context.ts';
import { fill } from '../texts/text.ts';
import { menu } from './menu.ts';

/** The last of all conversations: it answers what no other does. */
export function help(): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.on(['message', 'callback_query'], (ctx) => say(ctx, fill(ctx.texts.help), menu(ctx.texts)));
  return composer;
}
