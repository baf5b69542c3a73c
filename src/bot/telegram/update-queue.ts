/**
 * Updates, from Telegram to their end: kept, confirmed, carried out, forgotten.
 *
 * Invariant: a chat's updates are carried out one after the other, as they came, and those of other chats go on beside
 * them; an update ends once, after all that it does. Telegram is told that updates have come when they are on disk, and not
 * when they are carried out: otherwise one chat that has to wait would keep those of all others from coming.
 *
 * Rejected: grammY's own polling, which carries out one update after the other; its runner, which confirms updates that are
 * under way, and loses them with the process.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Api, GrammyError } from 'grammy';
import { pauseAfter } from '../../shared/retry.ts';
import type { BotState } from '../state/bot-state.ts';
import { type KeptUpdate, keptUpdate } from './kept-update.ts';

const POLL_SECONDS = 25;
const PAGE = 100;
/** Waiting updates of all chats: with more, none are fetched. */
const MOST_WAITING = 10_000;
/** Waiting updates of one chat: further ones are left out, for a flood must not keep out all others. */
const MOST_OF_CHAT = 100;
/** Telegram keeps updates for a day. After a week without any, their numbers begin anywhere. */
const SAME_NUMBERS_MS = 2 * 24 * 60 * 60_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;

export interface UpdateQueueOptions {
  readonly api: Api;
  readonly state: BotState;
  readonly signal: AbortSignal;
  /** Carries an update out. Rejects when it isn't, because the bot is stopped. */
  readonly handle: (update: KeptUpdate) => Promise<void>;
  /** A chat has sent more than it may: the first of them. */
  readonly onFlood: (chatId: number) => void;
  readonly say: (line: string) => void;
  readonly onHopeless: (reason: string) => void;
}

interface ChatQueue {
  size: number;
  last: Promise<void>;
}

export class UpdateQueue {
  readonly #options: UpdateQueueOptions;
  readonly #chats = new Map<number, ChatQueue>();
  #onRoom: () => void = () => {};

  constructor(options: UpdateQueueOptions) {
    this.#options = options;
  }

  /** Until the bot is stopped: those that were left over first. */
  async run(): Promise<void> {
    const { state, signal, say } = this.#options;
    for (const [number, update] of state.updates.entries()) this.#begin(number, update);
    for (let failures = 0; !signal.aborted; ) {
      try {
        await this.#poll();
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        const waitMs = await this.#afterFailure(error);
        if (failures === 1 || failures % 20 === 0)
          say(`Telegram is asked again: ${(error as Error).message}`);
        const pauseMs = Math.max(waitMs, pauseAfter(failures, FIRST_PAUSE_MS, LONGEST_PAUSE_MS));
        await delay(pauseMs, undefined, { signal }).catch(() => {});
      }
    }
  }

  /** Resolves when no update is under way. */
  async end(): Promise<void> {
    await Promise.all(Array.from(this.#chats.values(), ({ last }) => last));
  }

  async #poll(): Promise<void> {
    const { api, state, signal, onFlood } = this.#options;
    while (state.updates.size >= MOST_WAITING && !signal.aborted)
      await new Promise<void>((resolve) => {
        this.#onRoom = resolve;
      });
    const { updateId, atMs } = state.updatePlace ?? { updateId: 0, atMs: 0 };
    const isSame = Date.now() - atMs < SAME_NUMBERS_MS;
    const updates = await api.getUpdates(
      {
        ...(isSame ? { offset: updateId + 1 } : {}),
        limit: PAGE,
        timeout: POLL_SECONDS,
        allowed_updates: ['message', 'callback_query'],
      },
      signal as Parameters<Api['getUpdates']>[1],
    );
    const fresh = updates.filter(({ update_id }) => !isSame || update_id > updateId);
    const last = fresh.at(-1);
    if (last === undefined) return;
    const kept: KeptUpdate[] = [];
    const coming = new Map<number, number>();
    for (const each of fresh) {
      const update = keptUpdate(each);
      if (update === undefined) continue;
      const { chatId } = update;
      const size = (this.#chats.get(chatId)?.size ?? 0) + (coming.get(chatId) ?? 0);
      coming.set(chatId, (coming.get(chatId) ?? 0) + 1);
      if (size < MOST_OF_CHAT) kept.push(update);
      else if (size === MOST_OF_CHAT) onFlood(chatId);
    }
    const numbers = state.keepUpdates(kept, { updateId: last.update_id, atMs: Date.now() });
    for (const [index, update] of kept.entries()) this.#begin(numbers[index] ?? 0, update);
  }

  /** How long Telegram wants to be left alone. */
  async #afterFailure(error: unknown): Promise<number> {
    if (!(error instanceof GrammyError)) return 0;
    const { api, onHopeless } = this.#options;
    const { error_code, description, parameters } = error;
    // A token is wrong with the one, and of no form with the other.
    if (error_code === 401 || error_code === 404)
      onHopeless(`Telegram refuses the bot's token: ${description}`);
    if (error_code === 409 && /webhook/i.test(description)) await api.deleteWebhook().catch(() => {});
    return (parameters.retry_after ?? 0) * 1_000;
  }

  #begin(number: number, update: KeptUpdate): void {
    const { chatId } = update;
    const chat = this.#chats.get(chatId) ?? { size: 0, last: Promise.resolve() };
    this.#chats.set(chatId, chat);
    chat.size += 1;
    chat.last = chat.last.then(async () => {
      await this.#carryOut(number, update);
      chat.size -= 1;
      if (chat.size === 0) this.#chats.delete(chatId);
      this.#onRoom();
    });
  }

  async #carryOut(number: number, update: KeptUpdate): Promise<void> {
    const { handle, state, signal, onHopeless } = this.#options;
    if (signal.aborted) return;
    try {
      await handle(update);
      state.endUpdate(number);
    } catch (error) {
      if (!signal.aborted) onHopeless((error as Error).message);
    }
  }
}
