/**
 * The part of an update that the bot keeps until it is carried out, as grammY takes it: who, and which command or button.
 *
 * Invariant: nothing that somebody has typed is kept but a command with numbers and usernames, so no code or key that was
 * pasted into the chat gets to disk. Groups are left out: there, one could buy from another's wallet.
 */
import type { Update, User } from 'grammy/types';

/** A command's words that mean something to the bot: numbers, ids and usernames. */
const WORD = /^(\d{1,15}([.,]\d{1,6})?|@\w{5,32})$/;
const COMMAND = /^\/([a-z]{1,32})(?:@\w+)?(?:\s+(.*))?$/s;
const MOST_WORDS = 4;

/** An update with its chat, which has `chat` and `from`. */
export interface KeptUpdate {
  readonly chatId: number;
  readonly update: Update;
}

/** Undefined of one that the bot has nothing to say to. */
export function keptUpdate({ update_id, message, callback_query }: Update): KeptUpdate | undefined {
  if (message?.chat.type === 'private' && message.from !== undefined) {
    const { message_id, date, chat, from } = message;
    const { text, length } = keptText(message.text ?? '');
    const entities = length === 0 ? {} : { entities: [{ type: 'bot_command', offset: 0, length }] };
    const kept = { message_id, date, chat: chatOf(chat), from: userOf(from), text, ...entities };
    return { chatId: chat.id, update: { update_id, message: kept } as Update };
  }
  const { message: asked, data } = callback_query ?? {};
  if (callback_query === undefined || data === undefined || asked?.chat.type !== 'private') return undefined;
  const { id, from, chat_instance } = callback_query;
  const kept = { message_id: asked.message_id, date: 0, chat: chatOf(asked.chat) };
  const query = { id, from: userOf(from), chat_instance, data, message: kept };
  return { chatId: asked.chat.id, update: { update_id, callback_query: query } as Update };
}

/** `length`: of the command at its beginning, 0 without one. */
function keptText(text: string): { readonly text: string; readonly length: number } {
  const [, command, rest = ''] = COMMAND.exec(text.trim()) ?? [];
  if (command === undefined) return { text: '?', length: 0 };
  const words = rest.split(/\s+/).filter((word) => word !== '');
  const kept = words.slice(0, MOST_WORDS).map((word) => (WORD.test(word) ? word : '?'));
  return { text: [`/${command}`, ...kept].join(' '), length: command.length + 1 };
}

function chatOf({ id }: { readonly id: number }): object {
  return { id, type: 'private' };
}

type Sender = Pick<User, 'id' | 'first_name' | 'username'>;

function userOf({ id, first_name, username }: Sender): object {
  return { id, is_bot: false, first_name, ...(username === undefined ? {} : { username }) };
}
