/**
 * Transfers of a token to an address of TRON, as TronGrid's HTTP API lists them (GET /v1/accounts/{address}/transactions/trc20):
 * irreversible ones alone, the oldest first, page by page.
 *
 * Invariant: only transfers of the one contract count, whatever others are called, and only whole amounts above 0. An
 * answer that isn't what the API documents is a failure, never an empty page.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { retry } from '../../shared/retry.ts';
import { isJsonObject, type JsonObject } from '../terminal/answer-text.ts';
import { CommandFailure } from '../terminal/failure.ts';

/** A block is irreversible once 19 of the 27 who make blocks have built on it. */
export const SOLID_CONFIRMATIONS = 19;
const DECIMALS = 6;
const PAGE_ROWS = 200;
const TIMEOUT_MS = 20_000;
const PAUSE_MS = 500;
/** A transaction's events may be there a moment later than the transaction. */
const EVENT_TRIES = 3;
const LONGEST_PAUSE_MS = 30_000;

export interface ChainTransfer {
  readonly txId: string;
  /** The transfer's place in its transaction. */
  readonly logIndex: number;
  /** USDT. */
  readonly amountUsdt: number;
  /** The block's time, Unix milliseconds. */
  readonly at: number;
}

export interface TronGridOptions {
  /** Such as `https://api.trongrid.io`, without a slash at its end. */
  readonly url: string;
  readonly contract: string;
  /** The key of an account there; undefined: none. */
  readonly apiKey: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Hears of failures after which the call is repeated. */
  readonly onTrouble: (error: unknown, failures: number) => void;
  /** How long a call is repeated, in milliseconds; default: for ever. */
  readonly patienceMs?: number;
}

/** The refusal of a call, which another try won't mend. */
class RefusedCall extends Error {}

export class TronGrid {
  readonly #options: TronGridOptions;
  /** Transfers that are read again, by address and transaction: their events are asked for once. */
  readonly #placedBefore = new Map<string, readonly ChainTransfer[]>();

  constructor(options: TronGridOptions) {
    this.#options = options;
  }

  /**
   * Transfers to the address from `fromMs` on, before `toMs`, as lists of those of one moment: each transaction is whole in
   * one of them.
   */
  async *transfersTo(
    address: string,
    fromMs: number,
    toMs = Number.POSITIVE_INFINITY,
  ): AsyncIterable<readonly ChainTransfer[]> {
    for (const [key, [{ at } = { at: 0 }]] of this.#placedBefore)
      if (key.startsWith(`${address} `) && at < fromMs) this.#placedBefore.delete(key);
    let moment: Row[] = [];
    for await (const row of this.#rows(address, fromMs)) {
      if (row.at >= toMs) break;
      if (moment[0] !== undefined && moment[0].at !== row.at) {
        yield await this.#placed(address, moment);
        moment = [];
      }
      moment.push(row);
    }
    if (moment.length > 0) yield await this.#placed(address, moment);
  }

  /**
   * With the place of each in its transaction: the index of its event, by which two transfers of one transaction are two,
   * whichever addresses they pay. An API without events gets places among the transfers to the address.
   */
  async #placed(address: string, rows: readonly Row[]): Promise<ChainTransfer[]> {
    const placed: ChainTransfer[] = [];
    for (const txId of new Set(rows.map((row) => row.txId))) {
      const own = rows.filter((row) => row.txId === txId).sort((a, b) => a.micros - b.micros);
      const key = `${address} ${txId}`;
      const before = this.#placedBefore.get(key);
      if (before?.length === own.length) {
        placed.push(...before);
        continue;
      }
      const events = await this.#eventsOf(txId, address);
      const now = own.map(({ micros, at }, place) => {
        const event = events.findIndex(({ value }) => value === micros);
        const [{ index } = { index: place }] = event < 0 ? [] : events.splice(event, 1);
        return { txId, logIndex: index, amountUsdt: micros / 1e6, at };
      });
      this.#placedBefore.set(key, now);
      placed.push(...now);
    }
    return placed;
  }

  /** The token's transfers to the address in a transaction, in its order; none where the API has no events. */
  async #eventsOf(txId: string, address: string): Promise<TransferEvent[]> {
    for (let tries = 1; ; tries += 1) {
      const events = await this.#events(txId, address);
      if (events === undefined) return [];
      if (events.length > 0 || tries === EVENT_TRIES) return events;
      await delay(PAUSE_MS, undefined, { signal: this.#options.signal });
    }
  }

  async #events(txId: string, address: string): Promise<TransferEvent[] | undefined> {
    const { contract } = this.#options;
    const path = `/v1/transactions/${txId}/events?only_confirmed=true`;
    const page = await this.#get(path).catch((error: unknown) => {
      if (error instanceof RefusedCall) return undefined;
      throw error;
    });
    const to = [address, hexOf(address)];
    return page?.data.flatMap((event) => {
      if (!isJsonObject(event) || event.event_name !== 'Transfer') return [];
      const { contract_address, event_index, result } = event;
      if (contract_address !== contract || !isJsonObject(result) || !to.includes(String(result.to)))
        return [];
      return [{ index: Number(event_index), value: Number(result.value) }];
    });
  }

  async *#rows(address: string, fromMs: number): AsyncIterable<Row> {
    const { contract } = this.#options;
    let fingerprint: string | undefined;
    do {
      const query = new URLSearchParams({
        only_confirmed: 'true',
        only_to: 'true',
        contract_address: contract,
        min_timestamp: String(fromMs),
        order_by: 'block_timestamp,asc',
        limit: String(PAGE_ROWS),
        ...(fingerprint === undefined ? {} : { fingerprint }),
      });
      const { data, meta } = await this.#get(`/v1/accounts/${address}/transactions/trc20?${query}`);
      for (const row of data) {
        const transfer = rowOf(row, address, contract);
        if (transfer !== undefined && transfer.at >= fromMs) yield transfer;
      }
      const next = meta.fingerprint;
      fingerprint = typeof next === 'string' && next !== fingerprint && data.length > 0 ? next : undefined;
    } while (fingerprint !== undefined);
  }

  async #get(path: string): Promise<{ data: readonly unknown[]; meta: JsonObject }> {
    const { signal, onTrouble, patienceMs } = this.#options;
    return retry(() => this.#try(path), {
      pauseMs: PAUSE_MS,
      longestMs: LONGEST_PAUSE_MS,
      ...(patienceMs === undefined ? {} : { patienceMs }),
      mayHelp: (error) => !(error instanceof RefusedCall),
      onFailure: onTrouble,
      signal,
    });
  }

  async #try(path: string): Promise<{ data: readonly unknown[]; meta: JsonObject }> {
    const { url, apiKey, signal } = this.#options;
    const response = await request(`${url}${path}`, {
      headers: {
        accept: 'application/json',
        ...(apiKey === undefined ? {} : { 'tron-pro-api-key': apiKey }),
      },
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
      ...(signal === undefined ? {} : { signal }),
    });
    const text = await response.body.text();
    const { statusCode } = response;
    if (statusCode === 400 || statusCode === 401 || statusCode === 403 || statusCode === 404)
      throw new RefusedCall(`${url} answered ${statusCode}: ${text.slice(0, 200)}`);
    if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}`);
    const body: unknown = JSON.parse(text);
    if (!isJsonObject(body) || body.success === false || !Array.isArray(body.data))
      throw new Error(`${url} answered something else than a page of transfers: ${text.slice(0, 200)}`);
    return { data: body.data, meta: isJsonObject(body.meta) ? body.meta : {} };
  }
}

interface TransferEvent {
  readonly index: number;
  /** Micro-USDT. */
  readonly value: number;
}

interface Row {
  readonly txId: string;
  readonly micros: number;
  readonly at: number;
}

/** Undefined for what is no transfer of the token to the address. Throws when it can't be read. */
function rowOf(row: unknown, address: string, contract: string): Row | undefined {
  if (!isJsonObject(row)) throw new CommandFailure('a transfer of the chain is no object');
  const { transaction_id: txId, token_info: token, block_timestamp: at, to, type, value } = row;
  if (type !== 'Transfer' || to !== address) return undefined;
  if (!isJsonObject(token) || token.address !== contract || token.decimals !== DECIMALS) return undefined;
  if (typeof txId !== 'string' || typeof at !== 'number' || typeof value !== 'string')
    throw new CommandFailure(`a transfer of the chain can't be read: ${JSON.stringify(row).slice(0, 300)}`);
  const micros = /^[1-9]\d{0,15}$/.test(value) ? Number(value) : 0;
  return micros > 0 && Number.isSafeInteger(micros) ? { txId, micros, at } : undefined;
}

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** An address as events have it: its 20 bytes as hexadecimal digits, without the network's byte and the checksum. */
function hexOf(address: string): string {
  let number = 0n;
  for (const letter of address) number = number * 58n + BigInt(Math.max(0, BASE58.indexOf(letter)));
  return `0x${number.toString(16).padStart(50, '0').slice(2, 42)}`;
}
