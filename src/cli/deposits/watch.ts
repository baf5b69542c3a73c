/**
 * `purser deposits watch`: reports the transfers of a chain to the node, again and again, from a durable place.
 *
 * Invariants: the place is never ahead of what was reported, so a watcher that is killed loses nothing; it moves by transfers
 * that were seen, never by the clock, so an empty or an old page can't make it pass anything over. The node credits once
 * what is reported twice. A restore of the node takes the place back by a day. However busy an address is, new transfers
 * wait for no old ones, and memory has a bound.
 */

import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { keepDurably } from '../../persistence/disk/durable-file.ts';
import { codeOf } from '../../shared/error-code.ts';
import { pauseAfter } from '../../shared/retry.ts';
import type { OperatorClient } from '../calls/operator-client.ts';
import type { JsonObject } from '../terminal/answer-text.ts';
import { CommandFailure } from '../terminal/failure.ts';
import { SeenPayments } from './seen-payments.ts';
import { type ChainPayment, type ChainTransfer, SOLID_CONFIRMATIONS, type TronGrid } from './tron-grid.ts';

const FILE = 'watched.json';
/** Payments of so long before the youngest one are read again each time: more than the depth of a block that may change. */
const RECENT_MS = 2 * 60_000;
/** Payments that the chain lists late are found when they are of so long before. */
const REREAD_MS = 60 * 60_000;
/** Payments of the last hour that are read again in one look, a page: of a busy address the next ones in the next look. */
const MAX_REREAD = 200;
/** Payments after which the place is kept, before the last of them. */
const KEEP_PAYMENTS = 20;
const BEFORE_RESTORE_MS = 24 * 60 * 60_000;
const MAX_PAUSE_MS = 30_000;
/** The time between two blocks. */
const BLOCK_MS = 3_000;

interface Place {
  /** The node's, as it was last; another one is a restore. */
  readonly epoch: number;
  /** Where the watcher began, Unix milliseconds: an address of which nothing was reported is read from there. */
  readonly sinceMs: number;
  /** By address: the time of the youngest transfer that was reported, Unix milliseconds. */
  readonly reported: Readonly<Record<string, number>>;
}

export interface WatchOptions {
  readonly network: string;
  readonly chain: Pick<TronGrid, 'paymentsTo' | 'placed'>;
  readonly operator: OperatorClient;
  /** A folder of its own. */
  readonly state: string;
  /** Where a new watcher begins, Unix milliseconds. */
  readonly sinceMs: number;
  /** Between two looks at the chain. */
  readonly intervalMs: number;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** An address as the watcher knows it since it runs. */
interface Followed {
  readonly seen: SeenPayments;
  /** The payments of the last hour were read again through this time; undefined: all of them, and they are few. */
  sweptMs: number | undefined;
  /** A payment that was read again waits: it holds the place. */
  isHeld: boolean;
  /** The same, of the reading that is under way. */
  willBeHeld: boolean;
}

export class DepositWatcher {
  readonly #options: WatchOptions;
  #place: Place;
  readonly #followed = new Map<string, Followed>();
  /** The node's. */
  #confirmations = 0;
  /** The first refusal of a transfer in this look. */
  #refusal: CommandFailure | undefined;
  /** The node answered since the watcher runs. A role that worked is refused only while a restored shop is closed. */
  #hasLooked = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#place = { epoch: 0, sinceMs: options.sinceMs, reported: {} };
  }

  /** Until it is stopped. A node or a chain that can't be reached is asked again. */
  async run(): Promise<void> {
    const { state, intervalMs, signal, say } = this.#options;
    await mkdir(state, { recursive: true });
    const kept = await readPlace(join(state, FILE));
    if (kept === undefined) await this.#keep(this.#place);
    else this.#place = kept;
    for (let failures = 0, refusals = 0; !signal.aborted; ) {
      try {
        await this.#look();
        failures = 0;
        // What is refused keeps nothing else waiting.
        refusals = this.#refusal === undefined ? 0 : refusals + 1;
        if (this.#refusal !== undefined && isTold(refusals)) say(`Trying again: ${this.#refusal.message}`);
        await delay(intervalMs, undefined, { signal });
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof CommandFailure && isHopeless(error, this.#hasLooked)) throw error;
        failures += 1;
        if (isTold(failures)) say(`Trying again: ${(error as Error).message}`);
        await delay(pauseAfter(failures, intervalMs, MAX_PAUSE_MS), undefined, { signal }).catch(() => {});
      }
    }
  }

  /** Reports what has come since. */
  async #look(): Promise<void> {
    const { network, operator } = this.#options;
    const { body } = await operator.call({ method: 'GET', path: '/deposits/addresses' });
    this.#hasLooked = true;
    this.#refusal = undefined;
    this.#confirmations = Number(body.confirmations);
    await this.#follow(Number(body.epoch));
    for (const { network: at, address } of body.addresses as { network: string; address: string }[])
      if (at === network) await this.#lookAt(address);
  }

  /** The new payments; and of the last hour the older ones: all at once, or at a busy address some at a time. */
  async #lookAt(address: string): Promise<void> {
    const known = this.#place.reported[address];
    if (known === undefined) return this.#readNew(address, this.#place.sinceMs);
    const followed = this.#followedAt(address);
    const hourMs = Math.max(0, known - REREAD_MS);
    followed.seen.forgetBefore(hourMs);
    const isCalm = followed.sweptMs === undefined && followed.seen.size <= MAX_REREAD;
    await this.#readNew(address, isCalm ? hourMs : Math.max(0, known - RECENT_MS));
    if (!isCalm) await this.#sweep(address, hourMs, known - RECENT_MS);
  }

  async #readNew(address: string, fromMs: number): Promise<void> {
    let count = 0;
    let newest = 0;
    /** The oldest that waits for its end: it holds the place, however long that is. */
    let waiting = Number.POSITIVE_INFINITY;
    for await (const payments of this.#options.chain.paymentsTo(address, fromMs)) {
      for (const payment of payments) {
        const { at } = payment;
        if (!(await this.#settle(address, payment))) waiting = Math.min(waiting, at);
        newest = Math.max(newest, at);
        count += 1;
        if (count % KEEP_PAYMENTS === 0) await this.#move(address, Math.min(newest, waiting - 1));
      }
    }
    await this.#move(address, Math.min(newest, waiting - 1));
  }

  async #sweep(address: string, fromMs: number, untilMs: number): Promise<void> {
    const followed = this.#followedAt(address);
    const { seen, sweptMs = 0 } = followed;
    let left = MAX_REREAD;
    const beginMs = Math.max(fromMs, seen.fromMs, sweptMs);
    for await (const payments of this.#options.chain.paymentsTo(address, beginMs, untilMs)) {
      for (const payment of payments) if (!(await this.#settle(address, payment))) followed.willBeHeld = true;
      left -= payments.length;
      followed.sweptMs = (payments[0]?.at ?? 0) + 1;
      if (left <= 0) return;
    }
    followed.sweptMs = undefined;
    followed.isHeld = followed.willBeHeld;
    followed.willBeHeld = false;
  }

  #followedAt(address: string): Followed {
    const known = this.#followed.get(address);
    if (known !== undefined) return known;
    const followed = { seen: new SeenPayments(), sweptMs: 0, isHeld: false, willBeHeld: false };
    this.#followed.set(address, followed);
    return followed;
  }

  /** The youngest payment that was reported is of this time. */
  async #move(address: string, at: number): Promise<void> {
    const { reported } = this.#place;
    if (at <= (reported[address] ?? 0) || this.#followedAt(address).isHeld) return;
    await this.#keep({ ...this.#place, reported: { ...reported, [address]: at } });
  }

  /** Whether the end of all that it pays is known. */
  async #settle(address: string, payment: ChainPayment): Promise<boolean> {
    const { txId, amounts, at } = payment;
    const { seen } = this.#followedAt(address);
    const name = `${txId}:${amounts.length}`;
    if (seen.has(name)) return true;
    // All are irreversible; a node that wants more of them goes by the clock.
    const confirmations = Math.max(SOLID_CONFIRMATIONS, Math.floor((Date.now() - at) / BLOCK_MS));
    if (confirmations < this.#confirmations) return false;
    const transfers = await this.#options.chain.placed(address, payment);
    if (transfers === undefined) return false;
    let isSettled = true;
    for (const transfer of transfers)
      if (!(await this.#report(address, transfer, confirmations))) isSettled = false;
    if (isSettled) seen.add(name, at);
    return isSettled;
  }

  /** Whether its end is known. */
  async #report(
    address: string,
    { txId, logIndex, amountUsdt, at }: ChainTransfer,
    confirmations: number,
  ): Promise<boolean> {
    const { network, operator, say } = this.#options;
    const transfer = { network, txId, logIndex, address, amountUsdt, confirmations, at };
    const { state, accountId }: JsonObject = await operator
      .call({ method: 'POST', path: '/deposits/observed', body: transfer })
      .then(({ body }) => body, this.#refused);
    if (state === 'waiting') return false;
    const whom = accountId === undefined ? '' : ` to account ${accountId}`;
    say(`${new Date(at).toISOString()} ${txId} ${amountUsdt} USDT: ${state}${whom}`);
    return true;
  }

  /** Holds the place, and keeps no other transfer waiting. */
  #refused = (error: unknown): JsonObject => {
    const isRefused = error instanceof CommandFailure && error.refusal !== undefined;
    if (!isRefused || isHopeless(error)) throw error;
    this.#refusal ??= error;
    return { state: 'waiting' };
  };

  /** The node was restored: what it had credited since is reported again. */
  async #follow(epoch: number): Promise<void> {
    const { epoch: before, sinceMs, reported } = this.#place;
    if (epoch === before) return;
    const back = before === 0 ? 0 : BEFORE_RESTORE_MS;
    const earlier = Object.entries(reported).map(
      ([address, at]) => [address, Math.max(1, at - back)] as const,
    );
    this.#followed.clear();
    await this.#keep({ epoch, sinceMs, reported: Object.fromEntries(earlier) });
  }

  async #keep(place: Place): Promise<void> {
    await keepDurably(join(this.#options.state, FILE), JSON.stringify(place));
    this.#place = place;
  }
}

/** Undefined where no watcher has begun. */
async function readPlace(file: string): Promise<Place | undefined> {
  try {
    const { epoch, sinceMs, reported } = JSON.parse(await readFile(file, 'utf8'));
    if ([epoch, sinceMs, ...Object.values(reported)].every(Number.isSafeInteger))
      return { epoch, sinceMs, reported };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
  }
  throw new CommandFailure(
    `${file} can't be read: remove it, and say with --since from when on transfers are to be reported`,
  );
}

/** The first of failures that follow each other, and then one of twenty. */
export function isTold(failures: number): boolean {
  return failures % 20 === 1;
}

/** A wrong token, or a role that may not: nothing comes of asking again. */
function isHopeless({ refusal }: CommandFailure, hasLooked = false): boolean {
  return refusal?.code === 'UNAUTHORIZED' || (refusal?.code === 'FORBIDDEN' && !hasLooked);
}
