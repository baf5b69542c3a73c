/** The buttons below what a chat is greeted with: each does what its command does. */
import { InlineKeyboard } from 'grammy';
import type { TextName, Texts } from '../texts/text.ts';

/** By the name of the command. */
const BUTTONS = [
  [
    ['products', 'menuProducts'],
    ['orders', 'menuOrders'],
  ],
  [
    ['balance', 'menuBalance'],
    ['topup', 'menuTopup'],
  ],
  [
    ['key', 'menuKey'],
    ['help', 'menuHelp'],
  ],
] as const satisfies readonly (readonly (readonly [string, TextName])[])[];

export function menu(texts: Texts): InlineKeyboard {
  const keyboard = new InlineKeyboard();
  for (const row of BUTTONS) {
    for (const [command, text] of row) keyboard.text(texts[text], `menu:${command}`);
    keyboard.row();
  }
  return keyboard;
}

/** The words that Telegram lists when somebody types a slash. */
export function commandsOf(texts: Texts): { command: string; description: string }[] {
  const names: readonly (readonly [string, TextName])[] = [
    ['products', 'commandProducts'],
    ['buy', 'commandBuy'],
    ['orders', 'commandOrders'],
    ['order', 'commandOrder'],
    ['balance', 'commandBalance'],
    ['topup', 'commandTopup'],
    ['key', 'commandKey'],
    ['newkey', 'commandNewkey'],
    ['stopkey', 'commandStopkey'],
    ['webhook', 'commandWebhook'],
    ['help', 'commandHelp'],
  ];
  return names.map(([command, text]) => ({ command, description: texts[text] }));
}
