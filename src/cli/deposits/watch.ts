/**
 * `purser deposits watch`: reports the transfers of a chain to the node, again and again, from a durable place.
 *
 * Invariant: the place is never behind what was reported, so a watcher that is killed loses nothing; it moves by transfers
 * that were seen, never by the clock, so an empty or an old page can't make it pass anything over. The node credits once
 * what is reported twice. A restore of the node takes the place back by a day.
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
import { type ChainTransfer, SOLID_CONFIRMATIONS, type TronGrid } from './tron-grid.ts';

const FILE = 'watched.json';
/** Transfers that appear late, and waiting ones, are read again for so long. */
const REREAD_MS = 60 * 60_000;
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
  readonly chain: Pick<TronGrid, 'transfersTo'>;
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

export class DepositWatcher {
  readonly #options: WatchOptions;
  #place: Place;
  /** Transfers of the time that is read again whose end is known, with their times, by address. */
  readonly #ended = new Map<string, Map<string, number>>();
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
    for (let failures = 0; !signal.aborted; ) {
      try {
        await this.#look();
        failures = 0;
        await delay(intervalMs, undefined, { signal });
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof CommandFailure && isHopeless(error, this.#hasLooked)) throw error;
        failures += 1;
        if (failures === 1 || failures % 20 === 0) say(`Trying again: ${(error as Error).message}`);
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
    await this.#follow(Number(body.epoch));
    for (const { network: at, address } of body.addresses as { network: string; address: string }[])
      if (at === network) await this.#lookAt(address);
    if (this.#refusal !== undefined) throw this.#refusal;
  }

  async #lookAt(address: string): Promise<void> {
    const { chain } = this.#options;
    const { sinceMs, reported } = this.#place;
    const known = reported[address];
    const fromMs = known === undefined ? sinceMs : Math.max(0, known - REREAD_MS);
    const ended = this.#ended.get(address) ?? new Map<string, number>();
    this.#ended.set(address, ended);
    for (const [transfer, at] of ended) if (at < fromMs) ended.delete(transfer);
    let newest = known ?? 0;
    let waits = false;
    for await (const transfers of chain.transfersTo(address, fromMs)) {
      for (const transfer of transfers) {
        const name = `${transfer.txId}:${transfer.logIndex}`;
        if (ended.has(name)) continue;
        if (await this.#report(address, transfer)) ended.set(name, transfer.at);
        else waits = true;
      }
      const [{ at = 0 } = {}] = transfers;
      // One that waits for confirmations holds the place, however long that is.
      if (at <= newest || waits) continue;
      newest = at;
      await this.#keep({ ...this.#place, reported: { ...this.#place.reported, [address]: at } });
      for (const [transfer, seen] of ended) if (seen < at - REREAD_MS) ended.delete(transfer);
    }
  }

  /** Whether its end is known. */
  async #report(address: string, { txId, logIndex, amountUsdt, at }: ChainTransfer): Promise<boolean> {
    const { network, operator, say } = this.#options;
    // All are irreversible; a node that wants more of them goes by the clock.
    const confirmations = Math.max(SOLID_CONFIRMATIONS, Math.floor((Date.now() - at) / BLOCK_MS));
    const transfer = { network, txId, logIndex, address, amountUsdt, confirmations, at };
    const { state, accountId }: JsonObject = await operator
      .call({ method: 'POST', path: '/deposits/observed', body: transfer })
      .then(({ body }) => body, this.#refused);
    if (state === 'waiting') return false;
    const whom = state === 'credited' ? `credited to account ${accountId}` : 'unclaimed';
    say(`${new Date(at).toISOString()} ${txId} ${amountUsdt} USDT: ${whom}`);
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
    this.#ended.clear();
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

/** A wrong token, or a role that may not: nothing comes of asking again. */
function isHopeless({ refusal }: CommandFailure, hasLooked = false): boolean {
  return refusal?.code === 'UNAUTHORIZED' || (refusal?.code === 'FORBIDDEN' && !hasLooked);
}
