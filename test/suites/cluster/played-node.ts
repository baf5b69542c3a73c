/**
 * A node of a cluster as a balancer sees it: a plain HTTP server that leads, follows, or is not there. All nodes of a
 * test have one list of orders, as the nodes of a cluster have one log.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export class PlayedNode {
  leads = false;
  readonly #name: string;
  /** By idempotency key: who placed it. */
  readonly #orders: Map<string, string>;
  readonly #server: Server;

  constructor(name: string, orders: Map<string, string>) {
    this.#name = name;
    this.#orders = orders;
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** It dies: what is under way gets no answer, and nobody can connect. */
  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  #answer({ method, url, headers }: IncomingMessage, response: ServerResponse): void {
    const isCheck = url === '/api/v1/buyer/health' || url === '/operator/v1/ready';
    if (!this.leads) {
      response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1' });
      response.end(JSON.stringify({ success: false, error: 'NOT_LEADING', leader: null }));
      return;
    }
    const key = headers['idempotency-key'];
    const isOrder = !isCheck && method === 'POST' && typeof key === 'string';
    if (isOrder && !this.#orders.has(key)) this.#orders.set(key, this.#name);
    response.writeHead(isCheck ? 200 : 201, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ success: true, node: this.#name, from: headers['x-forwarded-for'] }));
  }
}
