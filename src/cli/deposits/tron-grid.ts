/**
 * Transfers of a token to an address of TRON, as TronGrid's HTTP API lists them (GET /v1/accounts/{address}/transactions/trc20):
 * irreversible ones alone, the oldest first, page by page; and the places of each in its transaction, by its event (GET
 * /v1/transactions/{id}/events).
 *
 * Invariants: only transfers of the one contract count, whatever others are called, and only whole amounts above 0. An
 * answer that isn't what the API documents is a failure, never an empty page. A transfer has one place, whenever it is
 * asked for: while the API has events, but not those of the transaction, it has none yet.
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
/** Events are asked for so often before they count as missing for good. */
const EVENT_TRIES = 3;
/** Before a transaction is this old, its events may only be late. */
const EVENTS_MS = 24 * 60 * 60_000;
const LONGEST_PAUSE_MS = 30_000;
/** Statuses of what an API doesn't have. One that is asked too often answers 403, too. */
const ABSENT: readonly number[] = [400, 404, 405, 410, 501];

/** The transfers of a transaction to one address. */
export interface ChainPayment {
  readonly txId: string;
  /** Micro-USDT, the smallest first. */
  readonly amounts: readonly number[];
  /** The block's time, Unix milliseconds. */
  readonly at: number;
}

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
class RefusedCall extends Error {
  readonly isAbsent: boolean;

  constructor(message: string, isAbsent: boolean) {
    super(message);
    this.isAbsent = isAbsent;
  }
}

export class TronGrid {
  readonly #options: TronGridOptions;
  /** The API was seen to have events. */
  #hasEvents = false;
  /** How often a transaction's events were not there yet. */
  #unlisted = 0;

  constructor(options: TronGridOptions) {
    this.#options = options;
  }

  /** Payments to the address from `fromMs` on, before `toMs`, as lists of those of one moment, in which each is whole. */
  async *paymentsTo(
    address: string,
    fromMs: number,
    toMs = Number.POSITIVE_INFINITY,
  ): AsyncIterable<readonly ChainPayment[]> {
    let moment: Row[] = [];
    for await (const row of this.#rows(address, fromMs, toMs)) {
      if (moment[0] !== undefined && moment[0].at !== row.at) {
        yield paymentsOf(moment);
        moment = [];
      }
      moment.push(row);
    }
    if (moment.length > 0) yield paymentsOf(moment);
  }

  /**
   * The transfers of a payment, each with its place: the index of its event, by which two transfers of one transaction are
   * two, whichever addresses they pay. Undefined where the events aren't there yet. An API without events gets places among
   * the transfers to the address.
   */
  async placed(address: string, payment: ChainPayment): Promise<readonly ChainTransfer[] | undefined> {
    const { txId, amounts, at } = payment;
    for (let tries = 1; ; tries += 1) {
      const events = await ifThere(this.#eventsOf(txId, address));
      const places = amounts.map((micros) => {
        const event = events?.findIndex(({ value }) => value === micros) ?? -1;
        return event < 0 ? undefined : events?.splice(event, 1)[0]?.index;
      });
      if (places.every((place) => place !== undefined)) {
        this.#hasEvents = true;
        return transfersOf(payment, places);
      }
      const hasOthers = await this.#isWithEvents();
      if (hasOthers && Date.now() - at < EVENTS_MS) {
        this.#unlisted += 1;
        this.#options.onTrouble(new Error(`the events of ${txId} are not listed yet`), this.#unlisted);
        return undefined;
      }
      if (tries === EVENT_TRIES || (events === undefined && !hasOthers)) return transfersOf(payment);
      await delay(PAUSE_MS, undefined, { signal: this.#options.signal });
    }
  }

  /** Whether the API has events at all, such as those of the contract. */
  async #isWithEvents(): Promise<boolean> {
    if (this.#hasEvents) return true;
    const path = `/v1/contracts/${this.#options.contract}/events?only_confirmed=true&limit=1`;
    const page = await ifThere(this.#get(path));
    this.#hasEvents = page !== undefined && page.data.length > 0;
    return this.#hasEvents;
  }

  /** The token's transfers to the address in a transaction, in its order. */
  async #eventsOf(txId: string, address: string): Promise<TransferEvent[]> {
    const { contract } = this.#options;
    const found: TransferEvent[] = [];
    const to = [address, hexOf(address)];
    const query = new URLSearchParams({ only_confirmed: 'true' });
    for await (const event of this.#listed(`/v1/transactions/${txId}/events`, query)) {
      if (!isJsonObject(event) || event.event_name !== 'Transfer') continue;
      const { contract_address, event_index, result } = event;
      if (contract_address !== contract || !isJsonObject(result)) continue;
      // Contracts call the fields what they like; the numbers are theirs, too.
      if (to.includes(String(result.to ?? result['1'])))
        found.push({ index: Number(event_index), value: Number(result.value ?? result['2']) });
    }
    return found;
  }

  async *#rows(address: string, fromMs: number, toMs: number): AsyncIterable<Row> {
    const { contract } = this.#options;
    const query = new URLSearchParams({
      only_confirmed: 'true',
      only_to: 'true',
      contract_address: contract,
      min_timestamp: String(fromMs),
      ...(Number.isFinite(toMs) ? { max_timestamp: String(toMs - 1) } : {}),
      order_by: 'block_timestamp,asc',
      limit: String(PAGE_ROWS),
    });
    for await (const row of this.#listed(`/v1/accounts/${address}/transactions/trc20`, query)) {
      const transfer = rowOf(row, address, contract);
      if (transfer !== undefined && transfer.at >= fromMs && transfer.at < toMs) yield transfer;
    }
  }

  /** The rows of all pages. */
  async *#listed(path: string, query: URLSearchParams): AsyncIterable<unknown> {
    let fingerprint: unknown;
    do {
      const { data, meta } = await this.#get(`${path}?${query}`);
      yield* data;
      const next = meta.fingerprint;
      fingerprint = typeof next === 'string' && next !== fingerprint && data.length > 0 ? next : undefined;
      query.set('fingerprint', String(fingerprint));
    } while (fingerprint !== undefined);
  }

  async #get(path: string): Promise<Page> {
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

  async #try(path: string): Promise<Page> {
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
    const isAbsent = ABSENT.includes(statusCode);
    if (isAbsent || statusCode === 401)
      throw new RefusedCall(`${url} answered ${statusCode}: ${text.slice(0, 200)}`, isAbsent);
    if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}`);
    const body: unknown = JSON.parse(text);
    if (!isJsonObject(body) || body.success === false || !Array.isArray(body.data))
      throw new Error(`${url} answered something else than a page of transfers: ${text.slice(0, 200)}`);
    return { data: body.data, meta: isJsonObject(body.meta) ? body.meta : {} };
  }
}

interface Page {
  readonly data: readonly unknown[];
  readonly meta: JsonObject;
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

function paymentsOf(rows: readonly Row[]): ChainPayment[] {
  return [...new Set(rows.map(({ txId }) => txId))].map((txId) => {
    const own = rows.filter((row) => row.txId === txId);
    const amounts = own.map(({ micros }) => micros).sort((a, b) => a - b);
    return { txId, amounts, at: own[0]?.at ?? 0 };
  });
}

/** Undefined where the API has no such path. */
async function ifThere<Answer>(call: Promise<Answer>): Promise<Answer | undefined> {
  return call.catch((error: unknown) => {
    if (error instanceof RefusedCall && error.isAbsent) return undefined;
    throw error;
  });
}

/** By their order among the transfers to the address where no places are given. */
function transfersOf({ txId, amounts, at }: ChainPayment, places: readonly number[] = []): ChainTransfer[] {
  return amounts.map((micros, index) => ({
    ...{ txId, logIndex: places[index] ?? index, amountUsdt: micros / 1e6, at },
  }));
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
