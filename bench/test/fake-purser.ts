/**
 * A stand-in for Purser that the benchmark's own tests can make lie: no disk, no limits, faults at will.
 *
 * The benchmark claims to notice a server that sells an item twice or loses an order. Only a server that does
 * so can show that the claim holds.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RunningNode, StartNode } from '../systems/running-node.ts';

/** Each touches one order, the one with this number; those without a number are seen where they happen. */
const faultyOrders = {
  'sells an item twice': 20,
  'sells what it never had': 21,
  'charges twice': 22,
  'forgets an order': 23,
  'changes an order': 24,
  'ignores an idempotency key': undefined,
  'makes an order and does not answer': 3,
  'keeps the last item': undefined,
  'is silent when little is left, until it is started again': undefined,
} as const;
export type Fault = keyof typeof faultyOrders;

interface FakeAccount {
  balanceMicros: number;
  readonly answers: Map<string, object>;
}

interface FakeProduct {
  readonly priceUsdt: number;
  stock: string[];
  lastSold: string;
}

interface FakeOrder {
  readonly account: FakeAccount;
  readonly body: Readonly<Record<string, unknown>>;
}

interface Reply {
  readonly status: number;
  readonly body: object;
}

/** More than buyers ask for at once. */
const littleLeft = 20;

const notFound: Reply = { status: 404, body: { success: false, error: 'NOT_FOUND' } };

export class FakePurser {
  readonly #faults: readonly Fault[];
  readonly #accounts: FakeAccount[] = [];
  readonly #accountsByKey = new Map<string, FakeAccount>();
  readonly #products: FakeProduct[] = [];
  readonly #orders: FakeOrder[] = [];
  #requests = 0;
  #starts = 0;
  #hasIgnoredKey = false;

  constructor(faults: readonly Fault[]) {
    this.#faults = faults;
  }

  /** Listens; the same object may do so again after it was stopped, and remembers everything. */
  async start(): Promise<RunningNode> {
    this.#starts += 1;
    const server = createServer((request, response) => void this.#serve(request, response));
    server.keepAliveTimeout = 60_000;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const stop = async () => {
      server.close();
      server.closeAllConnections();
    };
    return {
      buyerUrl: `${url}/api/v1/buyer`,
      operatorUrl: `${url}/operator/v1`,
      operatorToken: 'token',
      pid: process.pid,
      stop,
      kill: stop,
    };
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    this.#requests += 1;
    const requestId = `fake-${this.#requests}`;
    const path = (request.url ?? '').replace(/^\/(operator\/v1|api\/v1\/buyer)/, '');
    if (path === '/metrics') return void response.end(this.#metrics());
    const isOperator = request.url?.startsWith('/operator') === true;
    if (path === '/orders' && this.#isSilent(text)) return;
    const ordersBefore = this.#orders.length;
    const reply = isOperator ? this.#operate(request, path, text) : this.#buy(request, path, text);
    if (
      this.#orders.length > ordersBefore &&
      this.#has('makes an order and does not answer', this.#orders.length)
    )
      return;
    const bytes = Buffer.from(JSON.stringify({ ...reply.body, requestId }));
    response.writeHead(reply.status, {
      'content-type': 'application/json',
      'content-length': bytes.length,
      'x-request-id': requestId,
    });
    response.end(bytes);
  }

  #isSilent(text: string): boolean {
    const fault = 'is silent when little is left, until it is started again';
    if (this.#starts > 1 || !this.#faults.includes(fault)) return false;
    const { productId = 0 } = JSON.parse(text) as { readonly productId?: number };
    return (this.#products[productId - 1]?.stock.length ?? 0) <= littleLeft;
  }

  #metrics(): string {
    return `purser_journal_groups_total ${this.#orders.length / 4}\npurser_journal_facts_total{node="a"} ${this.#orders.length}\n`;
  }

  #operate(request: IncomingMessage, path: string, text: string): Reply {
    if (request.method === 'GET') return { status: 200, body: { success: true } };
    const [, noun, id, verb] = path.split('/');
    const account = this.#accounts[Number(id) - 1];
    const product = this.#products[Number(id) - 1];
    if (noun === 'accounts' && id === undefined) {
      const accountId = this.#accounts.push({ balanceMicros: 0, answers: new Map() });
      return { status: 201, body: { success: true, accountId } };
    }
    if (noun === 'products' && id === undefined) {
      const { priceUsdt } = JSON.parse(text) as { priceUsdt: number };
      return {
        status: 201,
        body: { success: true, productId: this.#products.push({ priceUsdt, stock: [], lastSold: '' }) },
      };
    }
    if (account !== undefined && verb === 'credits') {
      account.balanceMicros += (JSON.parse(text) as { amountUsdt: number }).amountUsdt * 1_000_000;
      return { status: 201, body: { success: true, balanceUsdt: account.balanceMicros / 1_000_000 } };
    }
    if (account !== undefined && verb === 'key') {
      const apiKey = `fake_live_${String(id).padStart(8, '0')}`;
      this.#accountsByKey.set(apiKey, account);
      return { status: 201, body: { success: true, apiKey } };
    }
    if (product !== undefined && verb === 'stock') {
      const items = text.split('\n');
      product.stock = [...product.stock, ...items];
      return { status: 201, body: { success: true, added: items.length } };
    }
    return notFound;
  }

  #buy(request: IncomingMessage, path: string, text: string): Reply {
    const account = this.#accountsByKey.get(String(request.headers['x-api-key']));
    if (account === undefined) return { status: 401, body: { success: false, error: 'UNAUTHORIZED' } };
    if (path === '/balance') {
      return { status: 200, body: { success: true, balanceUsdt: account.balanceMicros / 1_000_000 } };
    }
    if (path !== '/orders') return this.#order(account, Number(path.slice('/orders/'.length)));
    const key = String(request.headers['idempotency-key']);
    const known = account.answers.get(key);
    if (known !== undefined && !this.#ignoresKey()) return { status: 201, body: known };
    const { productId, expectedPriceUsdt } = JSON.parse(text) as Record<string, number>;
    return this.#purchase(account, key, productId ?? 0, expectedPriceUsdt ?? 0);
  }

  #order(account: FakeAccount, orderId: number): Reply {
    const order = this.#orders[orderId - 1];
    if (order === undefined || order.account !== account) return notFound;
    if (this.#has('forgets an order', orderId)) return notFound;
    const changed = this.#has('changes an order', orderId) ? { createdAt: 0 } : {};
    return { status: 200, body: { ...order.body, ...changed } };
  }

  #purchase(account: FakeAccount, key: string, productId: number, expectedPriceUsdt: number): Reply {
    const product = this.#products[productId - 1];
    if (product === undefined) return notFound;
    const least = this.#faults.includes('keeps the last item') ? 2 : 1;
    if (product.stock.length < least) return { status: 409, body: { success: false, error: 'OUT_OF_STOCK' } };
    const orderId = this.#orders.length + 1;
    const item = this.#takeItem(product, orderId);
    const times = this.#has('charges twice', orderId) ? 2 : 1;
    account.balanceMicros -= times * Math.round(expectedPriceUsdt * 1_000_000);
    const body = {
      success: true,
      orderId,
      status: 'completed',
      productId,
      quantity: 1,
      totalPriceUsdt: expectedPriceUsdt,
      createdAt: Date.now(),
      delivery: { items: [item] },
    };
    this.#orders.push({ account, body });
    const answer = { ...body, balanceAfterUsdt: account.balanceMicros / 1_000_000 };
    account.answers.set(key, answer);
    return { status: 201, body: answer };
  }

  /** The first time that one comes again. */
  #ignoresKey(): boolean {
    const ignores = !this.#hasIgnoredKey && this.#faults.includes('ignores an idempotency key');
    this.#hasIgnoredKey ||= ignores;
    return ignores;
  }

  #takeItem(product: FakeProduct, orderId: number): string {
    const item = product.stock.pop() ?? '';
    const before = product.lastSold;
    product.lastSold = item;
    if (this.#has('sells an item twice', orderId)) return before;
    if (this.#has('sells what it never had', orderId)) return `${item.slice(0, -10)}9999999999`;
    return item;
  }

  #has(fault: Fault, orderId: number): boolean {
    return faultyOrders[fault] === orderId && this.#faults.includes(fault);
  }
}

/** Starts fakes by folder: the same folder again is the same fake, with all it knew. */
export function fakeNodes(...faults: Fault[]): StartNode {
  const fakes = new Map<string, FakePurser>();
  return (dataDir) => {
    const fake = fakes.get(dataDir) ?? new FakePurser(faults);
    fakes.set(dataDir, fake);
    return fake.start();
  };
}
