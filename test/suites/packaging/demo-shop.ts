/**
 * The demo of a shipped program, wherever that runs: it sells with both servers and is killed, still has the orders,
 * restores its backup in a drill, is asked by commands, and verifies.
 */
import assert from 'node:assert/strict';
import type { SpawnSyncReturns } from 'node:child_process';
import { PurserClient } from 'purser/client';
import type { PurserProcess } from '../../support/nodes/purser-process.ts';

export interface ShippedProgram {
  /** The data folder and the folder of a backup, as the program sees them. */
  readonly dataDir: string;
  readonly backup: string;
  start(flags: readonly string[]): Promise<PurserProcess>;
  run(args: readonly string[]): SpawnSyncReturns<string>;
}

export class DemoShop {
  readonly #program: ShippedProgram;
  /** The API key of the demo's account. */
  #key: string | undefined;
  readonly #orders: number[] = [];

  constructor(program: ShippedProgram) {
    this.#program = program;
  }

  async prove(transports: readonly string[] = ['uws', 'node']): Promise<void> {
    for (const transport of transports) {
      const server = await this.#program.start(['--demo', '--transport', transport]);
      await this.sell(server.buyerUrl, server.output());
      await server.kill();
    }
    await this.drill();
    this.verify();
  }

  /** `said` has the demo's key, the first time. */
  async sell(buyerUrl: string, said: string): Promise<void> {
    this.#key ??= /pk_live_\w+/.exec(said)?.[0] ?? assert.fail(said);
    const client = new PurserClient({ baseUrl: buyerUrl, apiKey: this.#key });
    const order = await client.purchase({ productId: 1, quantity: 1, expectedPriceUsdt: 9.5 }).send();
    assert.equal(order.delivery?.items?.length, 1);
    this.#orders.push(order.orderId);
  }

  async hasOrders(buyerUrl: string): Promise<void> {
    const client = new PurserClient({ baseUrl: buyerUrl, apiKey: this.#key ?? '' });
    for (const orderId of this.#orders) assert.equal((await client.order(orderId)).orderId, orderId);
  }

  /** A start, which still has all orders. */
  async goOn(): Promise<void> {
    const server = await this.#program.start(['--backup', this.#program.backup]);
    await this.hasOrders(server.buyerUrl);
    assert.equal(await server.stop(), 0);
  }

  /** The drill restores the backup in a process that the node forks. */
  async drill(): Promise<void> {
    const server = await this.#program.start(['--backup', this.#program.backup]);
    await this.hasOrders(server.buyerUrl);
    const operator = ['--operator', new URL(server.operatorUrl).origin, '--token', server.operatorToken];
    for (const args of [['backup', 'drill'], ['backup', 'status'], ['console'], ['product', 'list']])
      this.#done([...args, ...operator]);
    // The bot is there, with its libraries and its state: it sees that the buyers' listener is no Telegram.
    const token = '/proc/sys/kernel/ostype';
    const api = new URL(server.buyerUrl).origin;
    const bot = this.#program.run([
      ...['bot', '--telegram-token-file', token, '--telegram-api', api, ...operator.slice(0, 2)],
      ...['--token-file', token, '--state', `${this.#program.backup}-bot`],
    ]);
    assert.deepEqual([bot.status, bot.stderr], [1, 'error: the server of --telegram-api is no Bot API\n']);
    const page = await fetch(new URL('/console', server.operatorUrl));
    assert.match(await page.text(), /<!doctype html>/i);
    assert.equal((await fetch(new URL('/docs/swagger-ui.css', server.buyerUrl))).status, 200);
    assert.equal(await server.stop(), 0);
  }

  verify(): void {
    const verified = this.#done(['verify', '--data', this.#program.dataDir, '--json']);
    assert.match(verified, new RegExp(`"sound":true.* ${this.#orders.length} orders, no item sold twice`));
  }

  #done(args: readonly string[]): string {
    const { status, stdout, stderr } = this.#program.run(args);
    assert.equal(status, 0, `${args.join(' ')}: ${stdout}${stderr}`);
    return stdout;
  }
}
