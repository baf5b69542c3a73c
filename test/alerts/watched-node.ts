/** A node in this process that looks for alerts all the time, and two receivers: of operations, and of everything. */
import { randomUUID } from 'node:crypto';
import type { Flags } from '../../src/config/config.ts';
import type { PurserNode } from '../../src/node/node.ts';
import { BuyerClient } from '../support/buyer-client.ts';
import { CheckedOperatorClient } from '../support/checked-operator-client.ts';
import { startInProcess } from '../support/nodes/node-in-process.ts';
import { ok } from '../support/operator-client.ts';
import { AlertReceiver, type ReceivedAlert } from './alert-receiver.ts';

export const SECRET = 'secret-of-the-alerts';

export class WatchedNode {
  readonly operations: AlertReceiver;
  readonly everything: AlertReceiver;
  readonly operator: CheckedOperatorClient;
  readonly buyers: BuyerClient;
  readonly lines: readonly string[];
  readonly #node: PurserNode;
  #apiKey = '';

  private constructor(
    node: PurserNode,
    [operations, everything]: readonly [AlertReceiver, AlertReceiver],
    lines: readonly string[],
  ) {
    this.#node = node;
    this.operations = operations;
    this.everything = everything;
    this.lines = lines;
    this.operator = new CheckedOperatorClient(node.operatorUrl, node.operatorToken);
    this.buyers = new BuyerClient(node.buyerUrl);
  }

  static async start(data: string, flags: Flags = {}): Promise<WatchedNode> {
    const receivers = [await AlertReceiver.open(), await AlertReceiver.open()] as const;
    const [operations, everything] = receivers;
    const alertUrl = `operations=${operations.url},${everything.url}`;
    const lines: string[] = [];
    const node = await startInProcess(
      { data, transport: 'node', alertUrl, ...flags },
      {
        env: { PURSER_ALERT_SECRET: SECRET },
        onLine: (line) => lines.push(line),
        alertLookMs: 250,
        foldIntervalMs: 250,
      },
    );
    const watched = new WatchedNode(node, receivers, lines);
    const { operator } = watched;
    await ok(operator.createAccount({ name: 'buyer', rateLimitPerMinute: null }));
    await ok(operator.credit(1, 1_000, 'deposit'));
    watched.#apiKey = (await ok(operator.issueKey(1))).apiKey ?? '';
    return watched;
  }

  buy(productId: number, quantity = 1) {
    const body = { productId, quantity, expectedPriceUsdt: quantity };
    return this.buyers.purchase(this.#apiKey, randomUUID(), body);
  }

  alert(error: string, state: 'firing' | 'resolved'): Promise<ReceivedAlert> {
    return this.operations.alert((alert) => alert.error === error && alert.state === state);
  }

  async metrics(): Promise<string> {
    return (await this.operator.json('GET', '/metrics')).text;
  }

  async close(): Promise<void> {
    this.buyers.close();
    await this.#node.stop();
    await this.operations.close();
    await this.everything.close();
  }
}
