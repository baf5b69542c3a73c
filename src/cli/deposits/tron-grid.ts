/**
 * Transfers of a token to an address of TRON, as TronGrid's HTTP API lists them (GET /v1/accounts/{address}/transactions/trc20):
 * irreversible ones alone, the oldest first, page by page.
 *
 * Invariant: only transfers of the one contract count, whatever others are called, and only whole amounts above 0. An
 * answer that isn't what the API documents is a failure, never an empty page.
 */
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
const LONGEST_PAUSE_MS = 30_000;

export interface ChainTransfer {
  readonly txId: string;
  /** The transfer's place among those of its transaction to this address. */
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
    let moment: Row[] = [];
    for await (const row of this.#rows(address, fromMs)) {
      if (row.at >= toMs) break;
      if (moment[0] !== undefined && moment[0].at !== row.at) {
        yield numbered(moment);
        moment = [];
      }
      moment.push(row);
    }
    if (moment.length > 0) yield numbered(moment);
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

/** Transfers of one transaction are numbered by their amounts, so that each has its number however a page lists them. */
function numbered(rows: readonly Row[]): ChainTransfer[] {
  const sorted = rows.toSorted((a, b) => (a.txId < b.txId ? -1 : a.txId > b.txId ? 1 : a.micros - b.micros));
  let [before, logIndex] = ['', 0];
  return sorted.map(({ txId, micros, at }) => {
    logIndex = txId === before ? logIndex + 1 : 0;
    before = txId;
    return { txId, logIndex, amountUsdt: micros / 1e6, at };
  });
}
