/**
 * The reader of the feed: which copies are due. Each page of lines becomes one step of the state, so a kill leaves none
 * out.
 *
 * A completed order's copy is due by the first of its lines that says so; later lines of it tell of refunds and new items.
 * After a restore of the shop the reader goes back to the last line of both histories. Orders that a restore had lost and
 * receipts brought back have a copy, too, unless it was due before.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Fields, type OperatorCalls, ShopRefusal } from '../shop/operator-calls.ts';
import type { Shop } from '../shop/shop.ts';
import type { BotState, DueCopy } from '../state/bot-state.ts';

const TYPES = ['OrderPlaced', 'OrderPaid', 'OrderDelivered', 'OrderRecovered', 'OrderAmended'];
/** Copies that wait: with more, the feed is not read; it keeps them. */
const MOST_WAITING = 10_000;
/** A new bot begins so long before its start, for clocks differ. Where a clock is ahead of the node's, it goes further back. */
const BEGINS_MS = [60_000, 10 * 60_000, 24 * 60 * 60_000];
const LOOK_AGAIN_MS = 100;
/** The bot asks for its feed anew so often, when it has something else to say of itself than it said. */
const SAY_EVERY_MS = 30_000;

export interface DueCopiesOptions {
  readonly calls: OperatorCalls;
  readonly shop: Shop;
  readonly state: BotState;
  readonly signal: AbortSignal;
  /** From when on a new bot sends copies, Unix milliseconds; default: now. */
  readonly sinceMs?: number | undefined;
  /** Default: 30 s. */
  readonly sayEveryMs?: number | undefined;
  readonly onDue: (due: readonly DueCopy[]) => void;
  readonly onHopeless: (reason: string) => void;
}

export class DueCopies {
  readonly #options: DueCopiesOptions;

  constructor(options: DueCopiesOptions) {
    this.#options = options;
  }

  /** A new bot's place in the feed is known, and kept, when this resolves: from here on it leaves out none. */
  async begin(): Promise<void> {
    const { state, shop } = this.#options;
    if (state.feedPlace !== undefined) return;
    const epoch = await shop.epoch();
    state.keepPage([], { after: await this.#start(), epoch });
  }

  /** Until the bot is stopped. */
  async run(): Promise<void> {
    const { calls, signal } = this.#options;
    for (let failures = 1; !signal.aborted; failures += 1) {
      const said = new AbortController();
      const path = this.#path();
      const timer = setInterval(() => {
        if (path !== this.#path()) said.abort();
      }, this.#options.sayEveryMs ?? SAY_EVERY_MS);
      try {
        for await (const page of calls.feed(path, said.signal)) {
          failures = 1;
          this.#keep(page);
          await this.#room();
        }
        // The node has closed it, for it stops.
        throw new Error('the feed ended');
      } catch (error) {
        if (signal.aborted) return;
        if (said.signal.aborted) failures = 0;
        else if (ShopRefusal.is(error, 'OTHER_EPOCH')) this.#goBack(error.fields);
        else if (ShopRefusal.is(error, 'BAD_REQUEST')) this.#refuse(error);
        else await this.#pause(error, failures);
      } finally {
        clearInterval(timer);
      }
    }
  }

  /** The lines that come next, and how the bot is, for those who look after it. */
  #path(): string {
    const { feedPlace, blockedChats, copies } = this.#options.state;
    const { after, epoch } = feedPlace ?? { after: 0, epoch: 1 };
    const figures = `blockedChats=${blockedChats}&unsentMessages=${copies.size}`;
    return `/feed?after=${after}&epoch=${epoch}&types=${TYPES.join(',')}&${figures}`;
  }

  #keep(page: readonly Fields[]): void {
    const { state, onDue } = this.#options;
    const last = page.at(-1);
    if (last === undefined) return;
    const due = page.flatMap(({ order }) => dueCopy(order as Fields));
    state.keepPage(due, { after: Number(last.seq), epoch: Number(last.epoch) });
    if (due.length > 0) onDue(due);
  }

  #goBack({ forkAfter, epoch }: Fields): void {
    this.#options.state.keepPage([], { after: Number(forkAfter), epoch: Number(epoch) });
  }

  #refuse({ message }: Error): void {
    const { signal, onHopeless } = this.#options;
    onHopeless(
      `the shop is another one than this bot knows, or an older copy of it: ${message} Choose another --state`,
    );
    signal.throwIfAborted();
  }

  /** A feed that can't be read now, as when there are too many readers, is asked for again. */
  async #pause(error: unknown, failures: number): Promise<void> {
    const { calls, signal } = this.#options;
    const passing = ShopRefusal.is(error, 'RATE_LIMITED') ? new Error(error.message) : error;
    await calls.pause(passing, failures).catch((refused: unknown) => {
      if (!signal.aborted) this.#options.onHopeless((refused as Error).message);
    });
  }

  async #room(): Promise<void> {
    const { state, signal } = this.#options;
    while (state.copies.size >= MOST_WAITING && !signal.aborted) await delay(LOOK_AGAIN_MS);
  }

  /** The line behind which a new bot begins. */
  async #start(): Promise<number> {
    const { calls, sinceMs } = this.#options;
    if (sinceMs !== undefined) return calls.feedStart(sinceMs);
    const nowMs = Date.now();
    for (const beforeMs of BEGINS_MS) {
      const start = await calls.feedStart(nowMs - beforeMs).catch((error: unknown) => {
        if (!ShopRefusal.is(error, 'BAD_REQUEST')) throw error;
      });
      if (start !== undefined) return start;
    }
    return calls.feedStart(0);
  }
}

function dueCopy({ orderId, accountId, status }: Fields): DueCopy[] {
  if (status !== 'completed') return [];
  return [{ orderId: Number(orderId), accountId: Number(accountId) }];
}
