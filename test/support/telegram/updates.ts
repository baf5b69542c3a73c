/**
 * The updates that wait for a bot. One is kept until a later `offset` confirms it, so that a bot which ended in between is
 * given it again. One call at a time may wait: another ends it.
 */
import { badRequest, Refusal } from './refusal.ts';

export interface Update {
  readonly update_id: number;
  readonly [type: string]: unknown;
}

export interface Ask {
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
  readonly timeoutSeconds?: number | undefined;
  /** Of these types alone from here on; all of them when the list is empty. */
  readonly allowed?: readonly string[] | undefined;
}

const MAX_WAITING = 10_000;
const MAX_TIMEOUT_SECONDS = 50;
const TYPES = ['message', 'callback_query', 'my_chat_member'];

export class Updates {
  #nextId: number;
  #waiting: Update[] = [];
  #allowed: readonly string[] = TYPES;
  #poll: { readonly come: () => void; readonly end: (refusal: Refusal) => void } | undefined;

  constructor(firstId: number) {
    this.#nextId = firstId;
  }

  get unconfirmed(): readonly Update[] {
    return this.#waiting;
  }

  add(type: string, content: object): void {
    if (!this.#allowed.includes(type)) return;
    if (this.#waiting.length >= MAX_WAITING) throw new Error(`${MAX_WAITING} updates wait for the bot`);
    this.#waiting.push({ update_id: this.#nextId, [type]: content });
    this.#nextId += 1;
    this.#poll?.come();
  }

  forget(): void {
    this.#waiting = [];
  }

  /** Waits until there is one, the time is over, or the connection has gone. */
  async next(ask: Ask, gone: AbortSignal): Promise<readonly Update[]> {
    const { offset = 0, limit = 100, timeoutSeconds = 0, allowed } = ask;
    if (limit < 1 || limit > 100) throw badRequest('limit must be from 1 to 100');
    this.#poll?.end(
      new Refusal(
        409,
        'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
      ),
    );
    if (allowed !== undefined) this.#allowed = allowed.length === 0 ? TYPES : allowed;
    this.#waiting =
      offset < 0 ? this.#waiting.slice(offset) : this.#waiting.filter(({ update_id }) => update_id >= offset);
    if (this.#waiting.length === 0) await this.#wait(Math.min(timeoutSeconds, MAX_TIMEOUT_SECONDS), gone);
    return this.#waiting.slice(0, limit);
  }

  async #wait(seconds: number, gone: AbortSignal): Promise<void> {
    if (seconds <= 0 || gone.aborted) return;
    let come = () => {};
    let end = (_: Refusal) => {};
    const waited = new Promise<void>((resolve, reject) => {
      come = resolve;
      end = reject;
    });
    const poll = { come, end };
    const timer = setTimeout(come, seconds * 1_000);
    gone.addEventListener('abort', come, { once: true });
    this.#poll = poll;
    try {
      await waited;
    } finally {
      clearTimeout(timer);
      gone.removeEventListener('abort', come);
      if (this.#poll === poll) this.#poll = undefined;
    }
  }
}
