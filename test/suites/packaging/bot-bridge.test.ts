/** examples/bot-bridge as it is run, beside a real node: killed in between, it leaves out no copy. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { eventually } from '../../support/eventually.ts';
import { QuietNode } from '../../support/nodes/quiet-node.ts';
import { ok } from '../../support/operator-client.ts';
import { repositoryRoot } from '../../support/repository-root.ts';
import { freePort } from '../../support/servers/free-port.ts';

const BRIDGE = join(repositoryRoot(), 'examples/bot-bridge/bot-bridge.mjs');

interface Copy {
  readonly orderId: number;
}

type Answer = Readonly<Record<string, unknown>>;

/** The calls of a bot. */
interface Operator {
  issueKey(accountId: number): Promise<Answer>;
  credit(accountId: number, amountUsdt: number, reference: string): Promise<Answer>;
  openOrder(accountId: number, productId: number, quantity: number): Promise<Answer>;
  pay(orderId: number, expectedPriceUsdt: number): Promise<Answer>;
}

describe('the example bridge to a bot', { timeout: 300_000 }, () => {
  let node: QuietNode;
  let token: string;
  let bridge: ChildProcess | undefined;
  let apiKey: string;
  const copies: Copy[] = [];

  before(async () => {
    // The bridge looks for it there again when it was away.
    node = await QuietNode.start('bridge', { operatorPort: String(await freePort()) });
    token = readFileSync(join(node.folder.path, 'operator-token'), 'utf8').trim();
    await ok(node.operator.createAccount({ name: 'chat', rateLimitPerMinute: null }));
    await ok(node.operator.createProduct({ name: 'Pin', priceUsdt: 1.5, instructions: 'Type it in.' }));
    const pins = Array.from({ length: 200 }, (_, index) => `pin-${index}`);
    await ok(node.operator.addStock(1, pins));
    startBridge();
  });
  after(async () => {
    await killBridge();
    await node.close();
  });

  function startBridge(): void {
    const env = { ...process.env, PURSER_OPERATOR_URL: node.operatorUrl, PURSER_OPERATOR_TOKEN: token };
    const args = [BRIDGE, join(node.folder.path, 'progress.json')];
    bridge = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
    const lines = createInterface({ input: bridge.stdout ?? assert.fail() });
    lines.on('line', (line) => copies.push(JSON.parse(line) as Copy));
  }

  async function killBridge(): Promise<void> {
    if (bridge === undefined || bridge.exitCode !== null || bridge.signalCode !== null) return;
    const closed = once(bridge, 'close');
    bridge.kill('SIGKILL');
    await closed;
  }

  async function buy(): Promise<number> {
    const body = { productId: 1, expectedPriceUsdt: 1.5 };
    const reply = await node.buyers.purchase(apiKey, randomUUID(), body);
    assert.equal(reply.status, 201, reply.text);
    return reply.body.orderId ?? 0;
  }

  async function copyOf(orderId: number): Promise<Copy> {
    const find = () => copies.find((sent) => sent.orderId === orderId);
    await eventually(`a copy of order ${orderId}`, () => find() !== undefined);
    return find() as Copy;
  }

  test('does what a buyer asks the bot for, and sends the copy of what was bought there', async () => {
    const { Operator } = (await import(pathToFileURL(BRIDGE).href)) as {
      readonly Operator: new (url: string, token: string) => Operator;
    };
    const operator = new Operator(node.operatorUrl, token);
    apiKey = String((await operator.issueKey(1)).apiKey);
    const credited = await operator.credit(1, 250, 'invoice-1');
    assert.equal((await operator.credit(1, 250, 'invoice-1')).balanceUsdt, credited.balanceUsdt);
    const { orderId } = await operator.openOrder(1, 1, 2);
    await assert.rejects(operator.pay(Number(orderId), 2), { code: 'PRICE_CHANGED', currentPriceUsdt: 3 });
    assert.equal((await operator.pay(Number(orderId), 3)).status, 'completed');
    await assert.rejects(operator.pay(Number(orderId), 3), { code: 'TRANSITION_NOT_ALLOWED' });
    const summary = `Order ${orderId}: 2 × Pin, 3 USDT (completed)`;
    assert.deepEqual(await copyOf(Number(orderId)), {
      accountId: 1,
      orderId,
      summary,
      items: ['pin-0', 'pin-1'],
      file: { name: `order-${orderId}.txt`, text: `${summary}\nType it in.\npin-0\npin-1\n` },
    });
  });

  test('killed in between, it sends every copy, and repeats at most what it was about', async () => {
    const orders: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const buying = (async () => {
        for (let left = 15; left > 0; left -= 1) orders.push(await buy());
      })();
      await delay(40);
      await killBridge();
      await buying;
      startBridge();
      await copyOf(orders.at(-1) ?? 0);
    }
    const sent = copies.map(({ orderId }) => orderId);
    for (const orderId of orders) assert.ok(sent.includes(orderId), `no copy of order ${orderId}`);
    const repeated = sent.length - new Set(sent).size;
    assert.ok(repeated <= 3, `${repeated} copies were repeated by 3 kills`);
  });

  test('waits for a node that is away, goes on, and stops when it is told to', async () => {
    await node.restart();
    const before = copies.length;
    await copyOf(await buy());
    assert.equal(copies.length, before + 1);
    assert.ok(bridge);
    const closed = once(bridge, 'close');
    bridge.kill('SIGTERM');
    assert.deepEqual(await closed, [0, null]);
  });
});
