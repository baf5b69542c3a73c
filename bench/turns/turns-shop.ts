/** The node that is measured, as its client calls it. */
import { Worker } from 'node:worker_threads';
import type { PurserNode } from '../../src/node/node.ts';
import { signatureOf } from '../../src/outgoing/signature.ts';
import type { Answer, Call } from './turns-client.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

export interface Row {
  readonly name: string;
  /** Makes the calls of a round, which are sent at once. */
  readonly calls: () => readonly Call[] | Promise<readonly Call[]>;
}

type Body = { readonly body?: string; readonly bodyTimes?: number; readonly type?: string };

export class Shop {
  readonly #node: PurserNode;
  readonly #client = new Worker(new URL('./turns-client.js', import.meta.url));
  #keys = 0;
  apiKey = '';

  constructor(node: PurserNode) {
    this.#node = node;
  }

  buyer(method: string, path: string, body?: unknown, key = this.newKey()): Call {
    const headers = { 'x-api-key': this.apiKey, 'idempotency-key': key, ...JSON_TYPE };
    const text = body === undefined ? undefined : JSON.stringify(body);
    return { url: this.#node.buyerUrl + path, method, headers, body: text };
  }

  operator(method: string, path: string, json?: unknown, { type, ...body }: Body = {}): Call {
    const key = this.newKey();
    const headers = {
      authorization: `Bearer ${this.#node.operatorToken}`,
      'idempotency-key': key,
      'content-type': type ?? 'application/json',
    };
    const text = json === undefined ? undefined : JSON.stringify(json);
    return {
      url: this.#node.operatorUrl + path,
      method,
      headers,
      body: text,
      ...body,
    };
  }

  /** A supplier's address, in the client's thread. */
  get supplierUrl(): Promise<string> {
    return new Promise((resolve) => {
      this.#client.once('message', resolve);
      this.#client.postMessage('supplier');
    });
  }

  /** A supplier's report of a purchase. */
  report(supplierId: number, secret: string, reference: string, json: string): Call {
    const signature = signatureOf(secret, Date.now(), reference, Buffer.from(json));
    const headers = { 'x-service-signature': signature, ...JSON_TYPE };
    const url = new URL(`/api/v1/supplier/${supplierId}/callback`, this.#node.buyerUrl).href;
    return { url, method: 'POST', headers, body: json };
  }

  send(...calls: readonly Call[]): Promise<Answer> {
    return new Promise((resolve) => {
      this.#client.once('message', resolve);
      this.#client.postMessage(calls);
    });
  }

  async id(call: Call): Promise<number> {
    const { status, text } = await this.send(call);
    const [, id] = /"(?:accountId|productId|orderId|supplierId)":(\d+)/.exec(text) ?? [];
    if (status !== 201) throw new Error(`${call.method} ${call.url}: ${status} ${text}`);
    return Number(id);
  }

  async close(): Promise<void> {
    await this.#client.terminate();
    await this.#node.stop();
  }

  newKey(): string {
    this.#keys += 1;
    return `k${this.#keys}`;
  }
}
