/**
 * Purchases without HTTP or disk, for the micro-benchmarks: customers with money, products with stock, and one
 * purchase after another, each by another customer of another product.
 */
import { apply } from '../../src/engine/apply/apply.ts';
import type { PlaceOrder } from '../../src/engine/decide/command.ts';
import { decide } from '../../src/engine/decide/decide.ts';
import { noHistory } from '../../src/engine/decide/history.ts';
import type { Fact } from '../../src/engine/fact.ts';
import { State } from '../../src/engine/state.ts';

const accountCount = 1_000;
const productCount = 100;
const nowMs = 1_700_000_000_000;
/** The purchases after which memory drops what it holds beyond the checkpoint, as on a real node. */
const purchasesPerGeneration = 100_000;

export class Purchases {
  /** The facts that made the customers and the stock. */
  readonly setup: Fact[] = [];
  readonly #state = new State();
  #count = 0;

  constructor() {
    const profile = { name: 'buyer', rateLimitPerMinute: null, webhookConcurrency: 1 };
    for (let accountId = 1; accountId <= accountCount; accountId += 1) {
      const credit = { accountId, reference: 'start', amountMicros: 1e12, balanceAfterMicros: 1e12 };
      this.#setUp({ kind: 'AccountCreated', accountId, profile, atMs: nowMs });
      this.#setUp({ kind: 'WalletCredited', credit, atMs: nowMs });
    }
    for (let productId = 1; productId <= productCount; productId += 1) {
      const product = {
        name: `Product ${productId}`,
        description: '',
        instructions: '',
        type: 'standard',
        priceMicros: 10_000,
        priceTiers: [],
        requiresRecipient: false,
        allowDuplicates: false,
        active: true,
      } as const;
      this.#setUp({ kind: 'ProductCreated', productId, profile: product, atMs: nowMs });
      const lot = { lotId: productId };
      this.#setUp({ kind: 'StockAdded', productId, firstItem: 0, count: 1e9, lot, atMs: nowMs });
    }
  }

  #setUp(fact: Fact): void {
    apply(this.#state, fact);
    this.setup.push(fact);
  }

  buy(): Fact {
    this.#count += 1;
    if (this.#count % purchasesPerGeneration === 0) {
      this.#state.cut();
      this.#state.dropOlder();
    }
    const fact = this.#decide(this.#count);
    if (!('kind' in fact)) throw new Error('a purchase was refused');
    apply(this.#state, fact);
    return fact;
  }

  /** The last purchase's request once more. */
  repeat(): void {
    if ('kind' in this.#decide(this.#count)) throw new Error('a repeated key bought again');
  }

  get state(): State {
    return this.#state;
  }

  #decide(number: number) {
    return decide(this.#state, noHistory, purchaseCommand(number, `bench-${number}`), nowMs);
  }
}

export function purchaseCommand(number: number, idempotencyKey: string): PlaceOrder {
  return {
    kind: 'PlaceOrder',
    accountId: 1 + (number % accountCount),
    idempotencyKey,
    productId: 1 + (number % productCount),
    quantity: 1,
    expectedPriceUsdt: 0.01,
    recipientUsername: null,
    requestNumber: 0,
  };
}

export function purchaseFacts(count: number): Fact[] {
  const purchases = new Purchases();
  return Array.from({ length: count }, () => purchases.buy());
}
