/**
 * A person's chat with the bot, in the hand of a test: types, presses buttons, reads what is shown as a person sees it,
 * blocks the bot and unblocks it. A button is pressed as often as the test says, also when the bot has taken it away since.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Button, Keyboard } from './keyboard.ts';
import type { Entity, MarkedText } from './marked-text.ts';
import type { Upload } from './parameters.ts';
import { badRequest } from './refusal.ts';
import type { Updates } from './updates.ts';

/** A message of the bot, as it is now. */
export interface Shown {
  readonly messageId: number;
  /** Without marks; of a document, its caption. */
  text: string;
  entities: readonly Entity[];
  readonly document: Upload | undefined;
  buttons: readonly (readonly Button[])[];
  /** When it came, and when it was changed last, by `performance.now()`. */
  readonly atMs: number;
  changedMs: number;
}

export interface Answer {
  readonly queryId: string;
  readonly text: string;
}

/** The ends of a chat that lead to the bot. */
export interface Line {
  readonly updates: Updates;
  readonly bot: object;
  /** Also of the person's own messages. */
  nextMessageId(): number;
  nextQueryId(): string;
}

const MAX_SHOWN = 20_000;
const PATIENCE_MS = 60_000;

export class Chat {
  readonly id: number;
  readonly shown: Shown[] = [];
  /** Answers to presses, which pop up and go. */
  readonly answers: Answer[] = [];
  /** Texts that the keyboard offers. */
  keyboard: readonly string[] = [];
  isBlocked = false;
  /** A bot can't begin a chat. */
  hasSpoken = false;
  /** What the person waits for. */
  waitsFor: string | undefined;
  readonly #line: Line;
  readonly #language: string;
  readonly #openQueries = new Set<string>();

  constructor(id: number, language: string, line: Line) {
    this.id = id;
    this.#language = language;
    this.#line = line;
  }

  type(text: string): void {
    if (this.isBlocked) throw new Error('who has blocked the bot can write nothing');
    this.hasSpoken = true;
    const [command] = /^\/\w+/.exec(text) ?? [];
    const mark = { type: 'bot_command', offset: 0, length: command?.length ?? 0 };
    this.#line.updates.add('message', {
      message_id: this.#line.nextMessageId(),
      from: this.person,
      chat: this.json,
      date: seconds(),
      text,
      ...(command === undefined ? {} : { entities: [mark] }),
    });
  }

  /** The buttons of the last message that has any. */
  get buttons(): readonly { readonly message: Shown; readonly button: Button }[] {
    const message = this.shown.findLast(({ buttons }) => buttons.length > 0);
    return message?.buttons.flat().map((button) => ({ message, button })) ?? [];
  }

  /** The first button that is offered whose data begins so. */
  offered(data: string): { readonly message: Shown; readonly button: Button } {
    const found = this.buttons.find(({ button }) => button.callback_data?.startsWith(data));
    if (found === undefined) throw new Error(`chat ${this.id} offers no button ${data}`);
    return found;
  }

  /** The id of the query, which is answered with it. */
  press({ message, button }: { readonly message: Shown; readonly button: Button }): string {
    if (this.isBlocked) throw new Error('who has blocked the bot can press nothing');
    const id = this.#line.nextQueryId();
    this.#openQueries.add(id);
    this.#line.updates.add('callback_query', {
      id,
      from: this.person,
      message: this.messageJson(message),
      chat_instance: String(this.id * 7),
      data: button.callback_data,
    });
    return id;
  }

  block(): void {
    this.isBlocked = true;
    this.#tellOfMembership('member', 'kicked');
  }

  unblock(): void {
    this.isBlocked = false;
    this.#tellOfMembership('kicked', 'member');
  }

  /** Waits until `find` gives something, and gives that. */
  async until<T>(
    what: string,
    find: () => T | undefined | Promise<T | undefined>,
    patienceMs = PATIENCE_MS,
  ): Promise<T> {
    const deadlineMs = performance.now() + patienceMs;
    this.waitsFor = what;
    for (;;) {
      const found = await find();
      if (found !== undefined) {
        this.waitsFor = undefined;
        return found;
      }
      if (performance.now() > deadlineMs) throw new Error(`chat ${this.id}: not in time: ${what}`);
      await delay(10);
    }
  }

  /** The first message that comes after so many, and that is as it should be. */
  next(after: number, what: string, isIt: (shown: Shown) => boolean = () => true): Promise<Shown> {
    return this.until(what, () => this.shown.slice(after).find(isIt));
  }

  // From here on: the calls of the bot.

  show({ text, entities }: MarkedText, keyboard: Keyboard, document?: Upload): object {
    if (this.shown.length >= MAX_SHOWN) throw new Error(`chat ${this.id} has ${MAX_SHOWN} messages`);
    const messageId = this.#line.nextMessageId();
    const atMs = performance.now();
    const message = { messageId, text, entities, document, buttons: keyboard.inline, atMs, changedMs: atMs };
    this.shown.push(message);
    if (keyboard.replies !== undefined) this.keyboard = keyboard.replies;
    return this.messageJson(message);
  }

  /** Leaves the text as it is when there is none. */
  edit(messageId: number, marked: MarkedText | undefined, { inline }: Keyboard): object {
    const message = this.shown.find((each) => each.messageId === messageId);
    if (message === undefined) throw badRequest('message to edit not found');
    const { text, entities } = marked ?? message;
    const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
    if (isSame([text, entities, inline], [message.text, message.entities, message.buttons]))
      throw badRequest(
        'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
      );
    Object.assign(message, { text, entities, buttons: inline, changedMs: performance.now() });
    return this.messageJson(message);
  }

  /** Whether the query was this chat's, and open. */
  answer(queryId: string, text: string): boolean {
    if (!this.#openQueries.delete(queryId)) return false;
    this.answers.push({ queryId, text });
    return true;
  }

  get json(): object {
    return { id: this.id, first_name: `Person ${this.id}`, type: 'private' };
  }

  get person(): object {
    return {
      id: this.id,
      is_bot: false,
      first_name: `Person ${this.id}`,
      language_code: this.#language,
    };
  }

  messageJson({ messageId, text, entities, document, buttons }: Shown): object {
    const of = { message_id: messageId, from: this.#line.bot, chat: this.json, date: seconds() };
    const markup = buttons.length === 0 ? {} : { reply_markup: { inline_keyboard: buttons } };
    if (document === undefined) return { ...of, text, entities, ...markup };
    const file_id = `document-${messageId}`;
    const file = {
      file_id,
      file_unique_id: file_id,
      file_name: document.name,
      file_size: document.bytes.length,
    };
    return { ...of, document: file, caption: text, caption_entities: entities, ...markup };
  }

  #tellOfMembership(from: string, to: string): void {
    const member = (status: string) => ({ user: this.#line.bot, status });
    this.#line.updates.add('my_chat_member', {
      chat: this.json,
      from: this.person,
      date: seconds(),
      old_chat_member: member(from),
      new_chat_member: member(to),
    });
  }
}

function seconds(): number {
  return Math.floor(Date.now() / 1_000);
}
