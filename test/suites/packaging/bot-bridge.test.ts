/** examples/bot-bridge as it is run, beside a real node: killed in between, it leaves out no copy. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/free-port.ts';
import { ok } from '../../support/operator-client.ts';
import { repositoryRoot } from '../../support/repository-root.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { type ServerUnderTest, startServer } from '../crash/server-under-test.ts';

const BRIDGE = join(repositoryRoot(), 'examples/bot-bridge/bot-bridge.mjs');

interface Copy {
  readonly accountId: number;
  readonly orderId: number;
  readonly summary: string;
  readonly items: readonly string[];
  readonly file: { readonly name: string; readonly text: string };
}

type Answer = Readonly<Record<string, unknown>>;

/** What a bot calls. */
interface Operator {
  issueKey(accountId: number): Promise<Answer>;
  credit(accountId: number, amountUsdt: number, reference: string): Promise<Answer>;
  openOrder(accountId: number, productId: number, quantity: number): Promise<Answer>;
  pay(orderId: number, expectedPriceUsdt: number): Promise<Answer>;
}

describe('the example bridge to a bot', { timeout: 300_000 }, () => {
  let folder: TemporaryFolder;
  let server: ServerUnderTest;
  let operator: Operator;
  let bridge: ChildProcess | undefined;
  const copies: Copy[] = [];
  let operatorPort: readonly string[];
  let accountId = 0;
  let productId = 0;
  let apiKey = '';

  before(async () => {
    folder = await createTemporaryFolder('bridge');
    // The bridge looks for it there again when it was away.
    operatorPort = ['--operator-port', String(await freePort())];
    server = await startServer({ dataDir: join(folder.path, 'data'), flags: operatorPort });
    ({ accountId = 0 } = await ok(server.operator.createAccount({ name: 'chat', rateLimitPerMinute: null })));
    const input = { name: 'Pin', priceUsdt: 1.5, instructions: 'Type it in.' };
    ({ productId = 0 } = await ok(server.operator.createProduct(input)));
    await ok(
      server.operator.addStock(
        productId,
        Array.from({ length: 200 }, (_, index) => `pin-${index}`),
      ),
    );
    const module = (await import(pathToFileURL(BRIDGE).href)) as {
      readonly Operator: new (url: string, token: string) => Operator;
    };
    operator = new module.Operator(server.process.operatorUrl, server.process.operatorToken);
    startBridge();
  });
  after(async () => {
    await killBridge();
    await server.kill();
    await folder.remove();
  });

  function startBridge(): void {
    const { operatorUrl, operatorToken } = server.process;
    const env = { ...process.env, PURSER_OPERATOR_URL: operatorUrl, PURSER_OPERATOR_TOKEN: operatorToken };
    const child = spawn(process.execPath, [BRIDGE, join(folder.path, 'progress.json')], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    assert.ok(child.stdout);
    createInterface({ input: child.stdout }).on('line', (line) => copies.push(JSON.parse(line) as Copy));
    bridge = child;
  }

  async function killBridge(): Promise<void> {
    if (bridge === undefined || bridge.exitCode !== null || bridge.signalCode !== null) return;
    const closed = once(bridge, 'close');
    bridge.kill('SIGKILL');
    await closed;
  }

  async function buy(): Promise<number> {
    const body = { productId, expectedPriceUsdt: 1.5 };
    const reply = await server.buyers.purchase(apiKey, randomUUID(), body);
    assert.equal(reply.status, 201, reply.text);
    return reply.body.orderId ?? 0;
  }

  async function copyOf(orderId: number): Promise<Copy> {
    const find = () => copies.find((sent) => sent.orderId === orderId);
    await eventually(`a copy of order ${orderId}`, () => find() !== undefined);
    return find() as Copy;
  }

  test('does what a buyer asks the bot for, and sends the copy of what was bought there', async () => {
    apiKey = String((await operator.issueKey(accountId)).apiKey);
    const credited = await operator.credit(accountId, 250, 'invoice-1');
    assert.equal((await operator.credit(accountId, 250, 'invoice-1')).balanceUsdt, credited.balanceUsdt);
    const { orderId, status } = await operator.openOrder(accountId, productId, 2);
    assert.equal(status, 'processing');
    await assert.rejects(operator.pay(Number(orderId), 2), { code: 'PRICE_CHANGED', currentPriceUsdt: 3 });
    assert.equal((await operator.pay(Number(orderId), 3)).status, 'completed');
    await assert.rejects(operator.pay(Number(orderId), 3), { code: 'TRANSITION_NOT_ALLOWED' });
    const summary = `Order ${orderId}: 2 × Pin, 3 USDT (completed)`;
    assert.deepEqual(await copyOf(Number(orderId)), {
      accountId,
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

  test('it waits for a node that is away, and goes on', async () => {
    await server.stop();
    const dataDir = join(folder.path, 'data');
    server = await startServer({ dataDir, flags: operatorPort });
    const before = copies.length;
    const orderId = await buy();
    await copyOf(orderId);
    assert.equal(copies.length, before + 1);
    const { after: position } = JSON.parse(readFileSync(join(folder.path, 'progress.json'), 'utf8'));
    assert.ok(position > 0);
  });

  test('stops when it is told to, and says how it is run', async () => {
    assert.ok(bridge);
    const closed = once(bridge, 'close');
    bridge.kill('SIGTERM');
    assert.deepEqual(await closed, [0, null]);
    const run = spawnSync(process.execPath, [BRIDGE], { encoding: 'utf8', timeout: 120_000 });
    assert.equal(run.status, 2);
    assert.match(run.stderr, /^usage: PURSER_OPERATOR_URL=/);
  });
});
