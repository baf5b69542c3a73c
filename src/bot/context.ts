/** The context of a conversation: grammY's, with the shop, the language and the state; and how it answers. */
import { type Context, GrammyError, type InlineKeyboard } from 'grammy';
import type { Account, Shop } from './shop/shop.ts';
import type { BotState } from './state/bot-state.ts';
import { fillPlain, type TextName, type Texts, type Values } from './texts/text.ts';

export interface BotContext extends Context {
  shop: Shop;
  texts: Texts;
  state: BotState;
  /** The press has been answered: Telegram shows a clock until then. */
  isAnswered: boolean;
}

/** Texts of an answer to a press are cut there. */
const MOST_OF_TOAST = 200;

export function chatIdOf(ctx: BotContext): number {
  if (ctx.chatId === undefined) throw new Error('an update without a chat');
  return ctx.chatId;
}

/** The id of a question that this update leads to: the same whenever Telegram delivers it. */
export function questionIdOf(ctx: BotContext): string {
  return ctx.callbackQuery === undefined ? `m${ctx.msgId}` : `c${ctx.callbackQuery.id}`;
}

/** The account of the chat, which is made when there is none. */
export function accountOf(ctx: BotContext): Promise<Account> {
  const { id, first_name = '', username } = ctx.from ?? { id: chatIdOf(ctx) };
  const words = [first_name, ...(username === undefined ? [] : [`@${username}`])];
  const name = words.join(' ').trim().slice(0, 200);
  return ctx.shop.accountOf(chatIdOf(ctx), name === '' ? String(id) : name);
}

export async function say(ctx: BotContext, html: string, buttons?: InlineKeyboard): Promise<void> {
  await ctx.api.sendMessage(chatIdOf(ctx), html, markup(buttons));
}

/** Puts a text, and buttons, in the place of the message whose button was pressed; else says it. */
export async function show(ctx: BotContext, html: string, buttons?: InlineKeyboard): Promise<void> {
  if (ctx.callbackQuery === undefined || ctx.msgId === undefined) return say(ctx, html, buttons);
  try {
    await ctx.api.editMessageText(chatIdOf(ctx), ctx.msgId, html, markup(buttons));
  } catch (error) {
    if (!(error instanceof GrammyError) || error.error_code !== 400) throw error;
    // An edit that came before is no change; a message that is gone, or too old, can't be edited.
    if (!/not modified/i.test(error.description)) await say(ctx, html, buttons);
  }
}

/** Ends the press, with a short text if there is one. One that is too old to be answered needs no answer. */
export async function answer(ctx: BotContext, text?: TextName, values?: Values): Promise<void> {
  if (ctx.callbackQuery === undefined || ctx.isAnswered) return;
  ctx.isAnswered = true;
  const toast = text && { text: fillPlain(ctx.texts[text], values).slice(0, MOST_OF_TOAST) };
  await ctx.api.answerCallbackQuery(ctx.callbackQuery.id, toast).catch((error: unknown) => {
    if (!(error instanceof GrammyError)) throw error;
  });
}

/** Words behind the command. */
export function wordsOf({ match }: { readonly match?: unknown }): string[] {
  return String(match ?? '')
    .split(' ')
    .filter((word) => word !== '');
}

function markup(buttons: InlineKeyboard | undefined) {
  return {
    parse_mode: 'HTML',
    link_preview_options: { is_disabled: true },
    ...(buttons === undefined ? {} : { reply_markup: buttons }),
  } as const;
}
