/**
 * When each chat had its last request, so that who has something for several chats begins with one that may have it now
 * and doesn't wait in the throttler, which holds a request until its chat's second is over.
 */
import type { Transformer } from 'grammy';

/** Timers are not exact: who is let through a moment later doesn't wait in the throttler. */
const ROOM_MS = 10;
/** More chats than a bot writes to in a second. */
const MOST_CHATS = 1_000;

export class ChatPace {
  /** By chat, the oldest first: from when on it may have another request, by `performance.now()`. */
  readonly #freeAtMs = new Map<number, number>();

  readonly #paceMs: number;

  /** `paceMs`: the time between two requests to a chat. */
  constructor(paceMs: number) {
    this.#paceMs = paceMs + ROOM_MS;
  }

  readonly transformer: Transformer = (prev, method, payload, signal) => {
    const chatId = (payload as { readonly chat_id?: unknown }).chat_id;
    if (chatId !== undefined) this.holdBack(Number(chatId), this.#paceMs);
    return prev(method, payload, signal);
  };

  /** The chat gets nothing for so long. */
  holdBack(chatId: number, ms: number): void {
    const atMs = Math.max(performance.now() + ms, this.#freeAtMs.get(chatId) ?? 0);
    this.#freeAtMs.delete(chatId);
    this.#freeAtMs.set(chatId, atMs);
    if (this.#freeAtMs.size > MOST_CHATS) this.#forgetFree();
  }

  /** In how many milliseconds the chat may have something. */
  waitMs(chatId: number): number {
    return Math.max(0, (this.#freeAtMs.get(chatId) ?? 0) - performance.now());
  }

  #forgetFree(): void {
    const nowMs = performance.now();
    for (const [chatId, atMs] of this.#freeAtMs) if (atMs <= nowMs) this.#freeAtMs.delete(chatId);
  }
}
