/**
 * The limits of what a bot may send: 30 messages in a second, and to one chat one a second beyond a short burst. The bot
 * that sends more is refused with the seconds to wait, and until they are over, whatever it sends there is.
 */
import { tooMany } from './refusal.ts';

const PER_SECOND = 30;
const BURST = 3;
const SECOND_MS = 1_000;

interface Bucket {
  left: number;
  atMs: number;
  closedUntilMs: number;
}

export class FloodLimits {
  isOn = true;
  refusals = 0;
  readonly #nowMs: () => number;
  /** Times of the last messages. */
  #lately: number[] = [];
  #closedUntilMs = 0;
  /** By chat. */
  readonly #buckets = new Map<number, Bucket>();

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** Counts a message to that chat, or throws. */
  admit(chatId: number): void {
    if (!this.isOn) return;
    const nowMs = this.#nowMs();
    this.#lately = this.#lately.filter((atMs) => atMs > nowMs - SECOND_MS);
    const bucket = this.#bucketOf(chatId, nowMs);
    const closedUntilMs = Math.max(this.#closedUntilMs, bucket.closedUntilMs);
    if (closedUntilMs > nowMs) throw this.#refusal(closedUntilMs - nowMs);
    if (bucket.left < 1) {
      const waitMs = Math.ceil(1 - bucket.left) * SECOND_MS;
      bucket.closedUntilMs = nowMs + waitMs;
      throw this.#refusal(waitMs);
    }
    if (this.#lately.length >= PER_SECOND) {
      this.#closedUntilMs = nowMs + SECOND_MS;
      throw this.#refusal(SECOND_MS);
    }
    bucket.left -= 1;
    this.#lately.push(nowMs);
  }

  #bucketOf(chatId: number, nowMs: number): Bucket {
    const known = this.#buckets.get(chatId) ?? { left: BURST, atMs: nowMs, closedUntilMs: 0 };
    known.left = Math.min(BURST, known.left + (nowMs - known.atMs) / SECOND_MS);
    known.atMs = nowMs;
    this.#buckets.set(chatId, known);
    return known;
  }

  #refusal(waitMs: number): Error {
    this.refusals += 1;
    return tooMany(Math.max(1, Math.ceil(waitMs / SECOND_MS)));
  }
}
