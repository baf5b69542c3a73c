/** The methods of the Bot API that a shop's bot calls, as its documentation has them. */
import type { Chat } from './chat.ts';
import type { FloodLimits } from './flood-limits.ts';
import { keyboardOf } from './keyboard.ts';
import { markedTextOf } from './marked-text.ts';
import type { Parameters } from './parameters.ts';
import { badRequest, blocked, Refusal } from './refusal.ts';
import type { Updates } from './updates.ts';

export interface Command {
  readonly command: string;
  readonly description: string;
}

/** All that the methods see and change. */
export interface Scene {
  readonly bot: object;
  readonly updates: Updates;
  readonly chats: ReadonlyMap<number, Chat>;
  readonly limits: FloodLimits;
  /** By language; `` is for all others. */
  readonly commands: Map<string, readonly Command[]>;
}

export type Method = (scene: Scene, parameters: Parameters, gone: AbortSignal) => unknown;

const MAX_DOCUMENT_BYTES = 50 * 1024 * 1024;
const MAX_COMMANDS = 100;

export const METHODS: Readonly<Record<string, Method>> = {
  getMe: ({ bot }) => bot,
  getWebhookInfo: ({ updates }) => ({
    url: '',
    has_custom_certificate: false,
    pending_update_count: updates.unconfirmed.length,
  }),
  deleteWebhook({ updates }, parameters) {
    if (parameters.text('drop_pending_updates') === 'true') updates.forget();
    return true;
  },
  getUpdates({ updates }, parameters, gone) {
    const allowed = parameters.json('allowed_updates') as string[] | undefined;
    const [offset, limit] = [parameters.integer('offset'), parameters.integer('limit')];
    return updates.next({ offset, limit, timeoutSeconds: parameters.integer('timeout'), allowed }, gone);
  },
  setMyCommands({ commands }, parameters) {
    const given = parameters.json('commands') as Command[] | undefined;
    if (!Array.isArray(given) || given.length > MAX_COMMANDS) throw badRequest('BOT_COMMANDS_TOO_MUCH');
    for (const { command, description } of given) {
      if (!/^[a-z0-9_]{1,32}$/.test(command)) throw badRequest('BOT_COMMAND_INVALID');
      if (description.length < 1 || description.length > 256)
        throw badRequest('BOT_COMMAND_DESCRIPTION_INVALID');
    }
    commands.set(parameters.text('language_code') ?? '', given);
    return true;
  },
  sendChatAction(scene, parameters) {
    reachable(scene, parameters);
    return true;
  },
  sendMessage(scene, parameters) {
    const chat = reachable(scene, parameters);
    const [marked, keyboard] = [markedTextOf(parameters, 'text'), keyboardOf(parameters)];
    scene.limits.admit(chat.id);
    return chat.show(marked, keyboard);
  },
  sendDocument(scene, parameters) {
    const chat = reachable(scene, parameters);
    const document = parameters.file('document');
    if (document === undefined) throw badRequest('there is no document in the request');
    if (document.bytes.length === 0) throw badRequest('file must be non-empty');
    if (document.bytes.length > MAX_DOCUMENT_BYTES) throw new Refusal(413, 'Request Entity Too Large');
    const [marked, keyboard] = [markedTextOf(parameters, 'caption'), keyboardOf(parameters)];
    scene.limits.admit(chat.id);
    return chat.show(marked, keyboard, document);
  },
  editMessageText(scene, parameters) {
    const chat = reachable(scene, parameters);
    const marked = markedTextOf(parameters, 'text');
    return chat.edit(parameters.integer('message_id') ?? 0, marked, keyboardOf(parameters));
  },
  editMessageReplyMarkup(scene, parameters) {
    const chat = reachable(scene, parameters);
    return chat.edit(parameters.integer('message_id') ?? 0, undefined, keyboardOf(parameters));
  },
  answerCallbackQuery({ chats }, parameters) {
    const [id, text] = [parameters.text('callback_query_id') ?? '', parameters.text('text') ?? ''];
    if (text.length > 200) throw badRequest('MESSAGE_TOO_LONG');
    for (const chat of chats.values()) if (chat.answer(id, text)) return true;
    throw badRequest('query is too old and response timeout expired or query ID is invalid');
  },
};

function reachable({ chats }: Scene, parameters: Parameters): Chat {
  const chat = chats.get(parameters.integer('chat_id') ?? 0);
  if (chat === undefined) throw badRequest('chat not found');
  if (chat.isBlocked) throw blocked();
  if (!chat.hasSpoken) throw new Refusal(403, "Forbidden: bot can't initiate conversation with a user");
  return chat;
}
