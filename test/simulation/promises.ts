/** The answers to buyers, by account and key, as they would remember them: they must be true for ever. */
import { strict as assert } from 'node:assert';
import { replacedItems } from '../../src/engine/adjustments.ts';
import type { PlaceOrder, PurchaseResult } from '../../src/engine/decide/command.ts';
import { Rejection } from '../../src/engine/decide/rejection.ts';
import type { Order } from '../../src/engine/orders.ts';

/** SPEC.md §4: these are the same whenever the key comes again. */
const REPEATED = new Set([
  'NOT_FOUND',
  'PRICE_CHANGED',
  'INSUFFICIENT_BALANCE',
  'PURCHASE_FAILED',
  'PROVIDER_TIMEOUT',
  'IDEMPOTENCY_UNRESOLVED',
]);

/** Whatever became of the key. */
const SAID_ANY_TIME = new Set(['IDEMPOTENCY_CONFLICT', 'UNAUTHORIZED', 'INTERNAL_ERROR']);

interface Promised {
  readonly command: PlaceOrder;
  /** The refusal's code, or the order. */
  readonly answer: string | Order;
  readonly texts: readonly string[] | undefined;
  /** Among all answers. */
  readonly number: number;
}

export class Promises {
  /** How many answers were held against those before. */
  kept = 0;
  readonly #byKey = new Map<string, Promised>();

  /** Requests whose answer is known, without the API keys that they came with. */
  commands(): PlaceOrder[] {
    return Array.from(this.#byKey.values(), ({ command }) => ({ ...command, keySha256: undefined }));
  }

  /** Holds an answer against the one before, and remembers it. `asked` is what `kept` was when it was asked for. */
  keep(
    command: PlaceOrder,
    result: PurchaseResult | Rejection,
    textsOf: (order: Order) => readonly string[],
    asked: number,
  ): void {
    this.kept += 1;
    const key = `${command.accountId} ${command.idempotencyKey}`;
    const before = this.#byKey.get(key);
    const { kept: number } = this;
    if (result instanceof Rejection && !REPEATED.has(result.code)) {
      // Of two at a time one may find no stock, and be told so after the other has found some.
      const isNews = before === undefined || before.number > asked;
      return assert.ok(
        isNews || SAID_ANY_TIME.has(result.code),
        `${key} had an answer, and is ${result.code}`,
      );
    }
    const isSame = before === undefined || sameRequest(before.command, command);
    if (result instanceof Rejection) {
      assert.ok(isSame, `${key} was answered ${result.code} for two requests`);
      if (before !== undefined) assert.equal(result.code, before.answer, key);
      this.#byKey.set(key, { command, answer: result.code, texts: undefined, number });
      return;
    }
    assert.ok(isSame, `${key} bought with two requests`);
    const { order } = result;
    const texts = order.status === 'completed' ? [...textsOf(order)] : before?.texts;
    if (before !== undefined) {
      assert.ok(
        typeof before.answer === 'object',
        `${key} was refused with ${JSON.stringify(before.answer)}, and bought`,
      );
      const { orderId, totalMicros, quantity, createdAtMs } = before.answer;
      assert.deepEqual(
        [order.orderId, order.totalMicros, order.quantity, order.createdAtMs],
        [orderId, totalMicros, quantity, createdAtMs],
        key,
      );
      if (before.texts !== undefined) {
        const [now, then] = [replacedItems(order.adjustments), replacedItems(before.answer.adjustments)];
        const isSameItem = (_: unknown, place: number) => now.get(place) === then.get(place);
        assert.deepEqual(texts?.filter(isSameItem), before.texts.filter(isSameItem), key);
      }
    }
    this.#byKey.set(key, { command, answer: order, texts, number });
  }
}

function sameRequest(a: PlaceOrder, b: PlaceOrder): boolean {
  return (
    a.productId === b.productId && a.quantity === b.quantity && a.expectedPriceUsdt === b.expectedPriceUsdt
  );
}
