/** Load of all kinds on a server whose disk fails: each request is done, or answered 500. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../../../support/eventually.ts';
import { ok } from '../../../support/operator-client.ts';
import { type Attempt, type Ledger, send } from './ledger.ts';
import type { ServerUnderTest } from './server-under-test.ts';
import { addProduct } from './stage.ts';

/** Without which nobody may register a webhook at this machine. */
export const WEBHOOK_FLAGS = ['--webhook-allow', '127.0.0.0/8'];
/** How soon purchases must succeed when the disk is well again: on a busy machine, too. */
const RECOVERY_MS = 60_000;

/** A purchase every so often, if there are any, and so many bots that read the feed. */
export interface Pace {
  readonly purchaseEveryMs?: number;
  readonly bots: number;
}

/** To what nobody receives: events come up, and their attempts fail, so that there is something to write. */
export async function subscribe(server: ServerUnderTest, ledger: Ledger): Promise<void> {
  const reply = await server.buyers.setWebhook(ledger.buyers[0]?.apiKey ?? '', {
    url: 'https://127.0.0.1:8443/',
    events: ['order.completed', 'stock.changed'],
  });
  assert.equal(reply.status, 200, reply.text);
}

/** Tries until a purchase succeeds, without a restart. */
export async function buyAgain(server: ServerUnderTest, ledger: Ledger): Promise<void> {
  const attempt = newAttempt(ledger);
  const isBought = async () => {
    const reply = await send(server.buyers, attempt);
    assert.ok(reply.status === 201 || reply.status === 500, reply.text);
    return reply.status === 201;
  };
  await eventually('purchases succeed again', isBought, RECOVERY_MS);
}

/** The next purchase: of each product in turn. */
export function newAttempt(ledger: Ledger): Attempt {
  const [buyer] = ledger.buyers;
  const product = ledger.products[ledger.attempts.length % ledger.products.length];
  assert.ok(buyer !== undefined && product !== undefined);
  const body = { productId: product.productId, expectedPriceUsdt: product.priceCents / 100 };
  return ledger.attempt(buyer, randomUUID(), body);
}

/**
 * A load that writes to all files, slowly: purchases, accounts, uploads, withdrawals. Each is done or answered 500.
 * Bots read the feed meanwhile, so that the journal is being read when a write to it fails.
 */
export class Load {
  #purchases = 0;
  #refused = 0;
  #isOver = false;
  #isEndExpected = false;
  readonly #running: Promise<void>[];

  private constructor(
    server: ServerUnderTest,
    ledger: Ledger,
    { purchaseEveryMs, bots }: Pace,
    shelf: number,
    file: number,
  ) {
    const { operator } = server;
    let item = 0;
    const items = () => Array.from({ length: 3 }, () => `${shelf} ${item++}`);
    this.#running = [
      ...(purchaseEveryMs === undefined
        ? []
        : [this.#repeat(purchaseEveryMs, () => this.#buy(server, ledger))]),
      this.#repeat(20, async () => (await operator.createAccount({ name: 'one more' })).status),
      this.#repeat(20, async () => (await operator.addStock(shelf, items())).status),
      this.#repeat(20, async () => (await operator.withdrawStock(shelf, 2)).status),
      this.#repeat(
        20,
        async () => (await operator.setFile(file, Buffer.from(randomUUID()), 'text/plain')).status,
      ),
      ...Array.from({ length: bots }, () => this.#follow(server)),
    ];
  }

  /** Ends with the test `t`, if not before. */
  static async begin(t: TestContext, server: ServerUnderTest, ledger: Ledger, pace: Pace): Promise<Load> {
    const { productId: shelf } = await addProduct(server, 5);
    const { productId: file = 0 } = await ok(
      server.operator.createProduct({ name: 'a file', type: 'file', priceUsdt: 1 }),
    );
    const load = new Load(server, ledger, pace, shelf, file);
    t.after(() => {
      load.#isOver = true;
    });
    return load;
  }

  /** From now on the server may be gone. */
  expectTheEnd(): void {
    this.#isEndExpected = true;
  }

  get counts(): string {
    return `${this.#purchases} purchases and ${this.#refused} refused requests by now`;
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#running);
  }

  /** A bot that reads the journal from its beginning, over and over, whatever becomes of a reading. */
  async #follow({ process: { operatorUrl, operatorToken } }: ServerUnderTest): Promise<void> {
    const headers = { authorization: `Bearer ${operatorToken}` };
    while (!this.#isOver) {
      try {
        const feed = await fetch(`${operatorUrl}/feed?after=0`, {
          headers,
          signal: AbortSignal.timeout(500),
        });
        for await (const _chunk of feed.body ?? []);
      } catch {
        await delay(20);
      }
    }
  }

  async #buy({ buyers }: ServerUnderTest, ledger: Ledger): Promise<number> {
    const { status } = await send(buyers, newAttempt(ledger));
    this.#purchases += 1;
    return status;
  }

  async #repeat(waitMs: number, request: () => Promise<number>): Promise<void> {
    while (!this.#isOver) {
      try {
        const status = await request();
        if (status >= 400) this.#refused += 1;
        assert.ok(status < 400 || status === 409 || status === 500, `status ${status}`);
      } catch (error) {
        if (error instanceof assert.AssertionError || !this.#isEndExpected) throw error;
        return;
      }
      await delay(waitMs);
    }
  }
}
