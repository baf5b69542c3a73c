/**
 * The chain of a busy address, which keeps nothing: its transfers follow from their numbers. Each is alone in its
 * transaction; some pay a deposit, the others are all of one amount.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CONTRACT } from '../../cli/deposits/scripted-chain.ts';

const PAGE_ROWS = 200;
/** A hundred thousand are an hour's. */
export const STEP_MS = 36;
const OTHER_MICROS = 1_000_000;

interface Busy {
  readonly address: string;
  readonly count: number;
  readonly beginMs: number;
  /** By the transfer's number, in micro-USDT. */
  readonly paid: ReadonlyMap<number, number>;
}

export class BusyChain {
  /** Transactions whose events were asked for. */
  asked = 0;
  /** Pages of transfers. */
  pages = 0;
  readonly #busy: Busy;
  readonly #server: Server;

  private constructor(busy: Busy) {
    this.#busy = busy;
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  static async start(busy: Busy): Promise<BusyChain> {
    const chain = new BusyChain(busy);
    await new Promise<void>((resolve) => chain.#server.listen(0, '127.0.0.1', resolve));
    return chain;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(request.url ?? '', this.url);
    const [, txId] = /^\/v1\/transactions\/(\w+)\/events$/.exec(pathname) ?? [];
    if (txId !== undefined) this.asked += 1;
    else this.pages += 1;
    const page = txId === undefined ? this.#page(searchParams) : this.#events(txId);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(page));
  }

  #microsOf(number: number): string {
    return String(this.#busy.paid.get(number) ?? OTHER_MICROS);
  }

  #events(transaction_id: string): object {
    const value = this.#microsOf(Number.parseInt(transaction_id, 16));
    const of = { transaction_id, contract_address: CONTRACT, event_name: 'Transfer', event_index: 0 };
    const data = [{ ...of, result: { from: '0x00', to: this.#busy.address, value } }];
    return { data, success: true, meta: {} };
  }

  #page(query: URLSearchParams): object {
    const { address, count, beginMs } = this.#busy;
    const numberAt = (name: string, usual: number) =>
      (Number(query.get(name) ?? beginMs + usual * STEP_MS) - beginMs) / STEP_MS;
    const first = Math.max(0, Math.ceil(numberAt('min_timestamp', 0)));
    const last = Math.min(count - 1, Math.floor(numberAt('max_timestamp', count)));
    const from = Number(query.get('fingerprint') ?? first);
    const to = Math.min(last, from + PAGE_ROWS - 1);
    const token_info = { symbol: 'USDT', address: CONTRACT, decimals: 6, name: 'Tether USD' };
    const data = Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => ({
      transaction_id: (from + index).toString(16).padStart(64, '0'),
      ...{ token_info, block_timestamp: beginMs + (from + index) * STEP_MS },
      ...{ from: 'TSomebody', to: address, type: 'Transfer', value: this.#microsOf(from + index) },
    }));
    return { data, success: true, meta: to < last ? { fingerprint: String(to + 1) } : {} };
  }
}
