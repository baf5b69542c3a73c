/**
 * The buyers' connections: as `BuyerClient`, for a million purchases. Most of what a purchase costs on this side of the
 * wire is the HTTP client, and `node:http` takes several times as much as undici without its streams and promises.
 *
 * What always holds: nothing is sent twice. A connection that goes away fails what was sent over it.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { type Dispatcher, Pool } from 'undici';
import type { BuyerBody, BuyerReply, PurchaseBody } from '../../support/buyer-client.ts';
import { idleSocketMs, jsonObject, replyTimeoutMs } from '../../support/http-request.ts';

const CONNECTIONS = 64;

export class BuyerPool {
  readonly #pool: Pool;
  readonly #path: string;

  /** `buyerUrl` ends with `/api/v1/buyer`. */
  constructor(buyerUrl: string) {
    const { origin, pathname } = new URL(buyerUrl);
    this.#path = pathname;
    this.#pool = new Pool(origin, {
      connections: CONNECTIONS,
      keepAliveTimeout: idleSocketMs,
      keepAliveMaxTimeout: idleSocketMs,
      headersTimeout: replyTimeoutMs,
      bodyTimeout: replyTimeoutMs,
    });
  }

  /** What is under way fails. */
  close(): void {
    void this.#pool.destroy();
  }

  purchase(apiKey: string, idempotencyKey: string, body: PurchaseBody): Promise<BuyerReply> {
    return this.#send({
      method: 'POST',
      path: `${this.#path}/orders`,
      headers: {
        'x-api-key': apiKey,
        'idempotency-key': idempotencyKey,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
  }

  balance(apiKey: string): Promise<BuyerReply> {
    return this.#send({ method: 'GET', path: `${this.#path}/balance`, headers: { 'x-api-key': apiKey } });
  }

  #send(options: Dispatcher.DispatchOptions): Promise<BuyerReply> {
    return new Promise((resolve, reject) => {
      let status = 0;
      let headers: IncomingHttpHeaders = {};
      const chunks: Buffer[] = [];
      this.#pool.dispatch(options, {
        // Without it the handler would be taken for one of the old kind.
        onRequestStart: () => {},
        onResponseStart: (_, statusCode, received) => {
          status = statusCode;
          headers = received;
        },
        onResponseData: (_, chunk) => {
          chunks.push(chunk);
        },
        onResponseEnd: () => {
          const [only] = chunks;
          const bytes = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
          const text = bytes.toString('utf8');
          resolve({ status, headers, text, body: jsonObject(text) as BuyerBody });
        },
        onResponseError: (_, error) => reject(error),
      });
    });
  }
}
