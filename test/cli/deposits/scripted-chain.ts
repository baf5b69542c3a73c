/**
 * A chain of the tests' own, which answers as TronGrid's HTTP API documents it: pages with a fingerprint, times, an address
 * that others send to, too, tokens of other contracts; and, when it is told to, what such an API does on a bad day.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const CONTRACT = 'TContractOfUsdt';
const PAGE_ROWS = 5;

export interface Sent {
  readonly txId: string;
  readonly to: string;
  readonly micros: number | string;
  readonly at: number;
  /** In its transaction. */
  readonly place?: number;
  readonly contract?: string;
  readonly decimals?: number;
  readonly type?: string;
  /** In a block that may still change: listed only to who asks for such, too. */
  readonly isPending?: boolean;
  /** How often its event is still missing when the events of its transaction are asked for. */
  unlisted?: number;
}

export type Trouble = 403 | 429 | 500 | 503 | 'empty' | 'stale' | 'cut' | 'html';

export class ScriptedChain {
  /** All that was ever sent, in any order. */
  readonly sent: Sent[] = [];
  /** What comes instead of the next answers. */
  readonly troubles: Trouble[] = [];
  /** Whether the API has events. */
  hasEvents = true;
  requests = 0;
  /** Readings of an address, each of one page or more. */
  readings = 0;
  /** Hears of each request, before it is answered. */
  onRequest: () => void = () => {};
  readonly #server: Server;
  #stale: string | undefined;

  private constructor() {
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  static async start(): Promise<ScriptedChain> {
    const chain = new ScriptedChain();
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
    this.requests += 1;
    this.onRequest();
    const url = new URL(request.url ?? '', this.url);
    const isList = url.pathname.startsWith('/v1/accounts/');
    if (isList && !url.searchParams.has('fingerprint')) this.readings += 1;
    const next = this.troubles.shift();
    // Pages alone are empty or old.
    const trouble = isList || (next !== 'empty' && next !== 'stale') ? next : 503;
    const page = this.#page(url);
    response.setHeader('content-type', 'application/json');
    if (typeof trouble === 'number') response.writeHead(trouble).end('{"Error":"later"}');
    else if (trouble === 'cut') response.writeHead(200).write(page.slice(0, 20), () => response.destroy());
    else if (trouble === 'html') response.writeHead(200).end('<html>maintenance</html>');
    else if (trouble === 'empty')
      response.writeHead(200).end('{"data":[],"success":true,"meta":{"page_size":0}}');
    else if (trouble === 'stale') response.writeHead(200).end(this.#stale ?? page);
    else response.writeHead(isList || this.hasEvents ? 200 : 404).end(page);
    if (isList) this.#stale ??= page;
  }

  /** The first event of most transactions is of something else. */
  #eventsOf(txId: string): object[] {
    const own = this.sent.filter((one) => one.txId === txId && one.isPending !== true);
    const listed = own.filter((one) => !(one.unlisted !== undefined && one.unlisted-- > 0));
    return listed.map(({ to, micros, place = 1, contract = CONTRACT }) => ({
      ...{ transaction_id: txId, contract_address: contract, event_name: 'Transfer', event_index: place },
      result: { from: '0x00', to, value: String(micros) },
    }));
  }

  #page({ pathname, searchParams }: URL): string {
    const [, txId] = /^\/v1\/transactions\/(\w+)\/events$/.exec(pathname) ?? [];
    if (txId !== undefined) return JSON.stringify({ data: this.#eventsOf(txId), success: true, meta: {} });
    // The contract's: whether there are any.
    if (pathname === `/v1/contracts/${CONTRACT}/events`)
      return JSON.stringify({ data: [{ event_name: 'Transfer' }], success: true, meta: {} });
    const [, address = ''] = /^\/v1\/accounts\/(\w+)\/transactions\/trc20$/.exec(pathname) ?? [];
    const from = Number(searchParams.get('min_timestamp') ?? 0);
    const until = Number(searchParams.get('max_timestamp') ?? Number.POSITIVE_INFINITY);
    const isConfirmed = searchParams.get('only_confirmed') === 'true';
    const contract = searchParams.get('contract_address');
    const skip = Number(searchParams.get('fingerprint') ?? 0);
    const all = this.sent
      .filter((one) => one.to === address && one.at >= from && one.at <= until)
      .filter((one) => one.isPending !== true || !isConfirmed)
      .filter((one) => contract === null || (one.contract ?? CONTRACT) === contract)
      .sort((a, b) => a.at - b.at);
    const rows = all.slice(skip, skip + PAGE_ROWS);
    const hasMore = all.length > skip + PAGE_ROWS;
    const meta = { page_size: rows.length, ...(hasMore ? { fingerprint: String(skip + PAGE_ROWS) } : {}) };
    return JSON.stringify({ data: rows.map(rowOf), success: true, meta });
  }
}

function rowOf({ txId, to, micros, at, contract = CONTRACT, decimals = 6, type = 'Transfer' }: Sent): object {
  const token_info = { symbol: 'USDT', address: contract, decimals, name: 'Tether USD' };
  const of = { from: 'TSomebody', to, type, value: String(micros) };
  return { transaction_id: txId, token_info, block_timestamp: at, ...of };
}
