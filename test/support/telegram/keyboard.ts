/** Buttons below a message, and those in place of the keyboard: checked as Telegram checks them. */
import type { Parameters } from './parameters.ts';
import { badRequest } from './refusal.ts';

export interface Button {
  readonly text: string;
  readonly callback_data?: string;
  readonly url?: string;
}

export interface Keyboard {
  readonly inline: readonly (readonly Button[])[];
  /** Texts that a tap on the keyboard sends; undefined leaves the keyboard as it is. */
  readonly replies: readonly string[] | undefined;
}

const MAX_DATA_BYTES = 64;

export function keyboardOf(parameters: Parameters): Keyboard {
  const markup = parameters.json('reply_markup') as
    | { inline_keyboard?: Button[][]; keyboard?: (Button | string)[][]; remove_keyboard?: boolean }
    | undefined
    | null;
  const inline = markup?.inline_keyboard ?? [];
  for (const button of inline.flat()) check(button);
  const replies = markup?.keyboard?.flat().map((key) => (typeof key === 'string' ? key : key.text));
  return { inline, replies: markup?.remove_keyboard === true ? [] : replies };
}

function check(button: Button): void {
  const { text, callback_data: data } = button;
  if (typeof text !== 'string' || text.trim() === '')
    throw badRequest("can't parse inline keyboard button: Text buttons are empty");
  const actions = ['callback_data', 'url', 'copy_text'].filter((name) => name in button);
  if (actions.length !== 1)
    throw badRequest("can't parse inline keyboard button: Text buttons are unallowed");
  if (data === undefined) return;
  const bytes = Buffer.byteLength(data);
  if (bytes < 1 || bytes > MAX_DATA_BYTES) throw badRequest('BUTTON_DATA_INVALID');
}
