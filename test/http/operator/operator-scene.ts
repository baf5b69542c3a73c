/** One node in this process for all cases of the operator API, and the few lines that set their stages. */
import assert from 'node:assert/strict';
import { CheckedOperatorClient } from '../../support/checked-operator-client.ts';
import { QuietNode } from '../../support/nodes/quiet-node.ts';
import { type OperatorClient, ok } from '../../support/operator-client.ts';

export type Json = Readonly<Record<string, unknown>>;

export interface Made {
  readonly operatorId: number;
  readonly token: string;
  readonly client: OperatorClient;
}

export class OperatorScene {
  /** Texts that somebody was shown once, or asked for: none of them may lie on the disk. */
  readonly secrets: string[] = [];
  #node: QuietNode | undefined;
  #bought = 0;
  /** The account of a buyer with money. */
  accountId = 0;
  apiKey = '';

  async start(): Promise<void> {
    const flags = {
      operatorHost: 'localhost',
      operatorName: 'Purser.example,shop.internal.',
      webhookAllow: '127.0.0.1',
    };
    this.#node = await QuietNode.start('operator-api', flags);
    const { operator } = this.node;
    this.accountId = Number(
      (await ok(operator.createAccount({ name: 'Buyer', rateLimitPerMinute: null }))).accountId,
    );
    this.apiKey = (await ok(operator.issueKey(this.accountId))).apiKey ?? '';
    await ok(operator.credit(this.accountId, 10_000, 'start'));
  }

  async close(): Promise<void> {
    await this.#node?.close();
  }

  get node(): QuietNode {
    return this.#node ?? assert.fail('the node was not started');
  }

  clientOf(token: string): OperatorClient {
    return new CheckedOperatorClient(this.node.operatorUrl, token);
  }

  async operator(name: string, role: string, more: object = {}): Promise<Made> {
    const body = { name, role, ...more };
    const { operatorId = 0, token = '' } = await ok(this.node.operator.json('POST', '/operators', body));
    this.secrets.push(token);
    return { operatorId, token, client: this.clientOf(token) };
  }

  /** The fields of a success, beside that it is one. */
  async json(method: string, path: string, body?: unknown, by = this.node.operator): Promise<Json> {
    const reply = await by.json(method, path, body);
    assert.ok(reply.status < 300, reply.text);
    const { success: _success, requestId: _requestId, ...fields } = JSON.parse(reply.text) as Json;
    return fields;
  }

  async rows(path: string, name: string): Promise<readonly Json[]> {
    return (await this.json('GET', path))[name] as Json[];
  }

  async product(more: Json = {}): Promise<number> {
    return Number((await this.json('POST', '/products', { name: 'Codes', priceUsdt: 1, ...more })).productId);
  }

  /** Answers the lot's id. */
  async upload(productId: number, items: readonly string[], query = ''): Promise<number> {
    return Number((await this.json('POST', `/products/${productId}/stock${query}`, { items })).lotId);
  }

  async buy(productId: number, quantity = 1) {
    this.#bought += 1;
    const body = { productId, quantity, expectedPriceUsdt: quantity };
    const reply = await this.node.buyers.purchase(this.apiKey, `key ${this.#bought}`, body);
    assert.equal(reply.status, 201, reply.text);
    return { orderId: reply.body.orderId ?? 0, items: reply.body.delivery?.items };
  }
}

/** The cases of one subject. */
export interface OperatorCases {
  readonly title: string;
  readonly define: (scene: OperatorScene) => void;
}
