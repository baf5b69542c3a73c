/** A receiver that an operator would put behind `--alert-url`: keeps what it is sent, and answers as the test says. */
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { AlertState, LateDeliveryAlert, RefusalAlert, StateFields } from '../../src/alerts/alert.ts';

/** The fields of several kinds: a test knows which it waits for. */
export type ReceivedAlert = RefusalAlert &
  Partial<LateDeliveryAlert> & { readonly state?: AlertState } & Partial<
    StateFields['STOCK_LOW'] & StateFields['DELIVERY_OVERDUE'] & StateFields['DISK_LOW']
  >;

export interface AlertPostBody {
  readonly eventId: string;
  readonly type: string;
  readonly service: string;
  readonly alerts: readonly ReceivedAlert[];
  readonly omitted: number;
  readonly firing: Readonly<Record<string, number>>;
}

export interface ReceivedPost {
  readonly atMs: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly body: AlertPostBody;
}

const WAIT_MS = 20_000;

export class AlertReceiver {
  readonly url: string;
  readonly posts: ReceivedPost[] = [];
  /** The status of the next answers; undefined for none at all. */
  status: number | undefined = 204;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/alerts`;
    server.on('request', (request, response) => this.#receive(request, response));
  }

  static async open(): Promise<AlertReceiver> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new AlertReceiver(server);
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** The first alert of all posts that is so, once there is one. */
  async alert(isIt: (alert: ReceivedAlert) => boolean): Promise<ReceivedAlert> {
    const find = () => this.#alerts.find(isIt);
    await this.until(() => find() !== undefined);
    return find() as ReceivedAlert;
  }

  /** The alerts of all posts, once there are so many. */
  async alerts(count: number): Promise<ReceivedAlert[]> {
    await this.until(() => this.#alerts.length >= count);
    return this.#alerts;
  }

  /** How many alerts the posts left out, once they have left out any. */
  async omitted(): Promise<number> {
    const sum = () => this.posts.reduce((all, { body }) => all + body.omitted, 0);
    await this.until(() => sum() > 0);
    return sum();
  }

  async until(condition: () => boolean): Promise<void> {
    const deadlineMs = performance.now() + WAIT_MS;
    while (!condition()) {
      if (performance.now() > deadlineMs) throw new Error(`waited in vain; got ${this.posts.length} posts`);
      await setTimeout(5);
    }
  }

  get #alerts(): ReceivedAlert[] {
    return this.posts.flatMap(({ body }) => body.alerts);
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const body = JSON.parse(bytes.toString()) as AlertPostBody;
    this.posts.push({ atMs: performance.now(), headers: request.headers, bytes, body });
    if (this.status !== undefined) response.writeHead(this.status, { location: this.url }).end('thank you');
  }
}
