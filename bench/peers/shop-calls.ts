/**
 * A shop behind messages: whoever has it answers the calls, and elsewhere `RemoteShop` is that shop. Calls and results
 * of one tick of the event loop go in one message, because a message costs more than a call.
 */
import type { NewProduct, PurchaseOutcome, PurchaseRequest, Shop, ShopOrder } from './shop.ts';

export interface ShopCall {
  readonly id: number;
  readonly method: keyof Shop;
  readonly args: readonly unknown[];
}

export interface ShopResult {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

/** Gathers what one tick of the event loop has, and sends it at its end. */
function gathering<Message>(send: (messages: readonly Message[]) => void): (message: Message) => void {
  let gathered: Message[] = [];
  return (message) => {
    gathered.push(message);
    if (gathered.length > 1) return;
    setImmediate(() => {
      const messages = gathered;
      gathered = [];
      send(messages);
    });
  };
}

/** Runs the calls that come in and sends their results, each when it is there. */
export function answerCalls(
  shop: Shop,
  send: (results: readonly ShopResult[]) => void,
): (calls: readonly ShopCall[]) => void {
  const answer = gathering(send);
  const methods = shop as unknown as Readonly<
    Record<keyof Shop, (...args: readonly unknown[]) => Promise<unknown>>
  >;
  return (calls) => {
    for (const { id, method, args } of calls) {
      methods[method](...args).then(
        (value) => answer({ id, value }),
        (error: Error) => answer({ id, error: error.message }),
      );
    }
  };
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class RemoteShop implements Shop {
  readonly #call: (call: ShopCall) => void;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  constructor(send: (calls: readonly ShopCall[]) => void) {
    this.#call = gathering(send);
  }

  takeResults(results: readonly ShopResult[]): void {
    for (const { id, value, error } of results) {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) waiting?.resolve(value);
      else waiting?.reject(new Error(error));
    }
  }

  createAccount(name: string): Promise<number> {
    return this.#run('createAccount', name);
  }

  credit(accountId: number, amountMicros: number, reference: string): Promise<boolean> {
    return this.#run('credit', accountId, amountMicros, reference);
  }

  issueKey(accountId: number): Promise<string | undefined> {
    return this.#run('issueKey', accountId);
  }

  createProduct(product: NewProduct): Promise<number> {
    return this.#run('createProduct', product);
  }

  addStock(productId: number, items: readonly string[]): Promise<number | undefined> {
    return this.#run('addStock', productId, items);
  }

  purchase(request: PurchaseRequest): Promise<PurchaseOutcome> {
    return this.#run('purchase', request);
  }

  balance(apiKey: string): Promise<number | undefined> {
    return this.#run('balance', apiKey);
  }

  order(apiKey: string, orderId: number): Promise<ShopOrder | undefined> {
    return this.#run('order', apiKey, orderId);
  }

  close(): Promise<void> {
    return this.#run('close');
  }

  #run<Value>(method: keyof Shop, ...args: readonly unknown[]): Promise<Value> {
    return new Promise<Value>((resolve, reject) => {
      this.#lastId += 1;
      this.#waiting.set(this.#lastId, { resolve: resolve as (value: unknown) => void, reject });
      this.#call({ id: this.#lastId, method, args });
    });
  }
}
