/**
 * Buyers, and who pays orders from the bot: requests as the routes of the two APIs make them, and what became of
 * each. A buyer remembers what he was told, and finds it so for ever.
 */
import { strict as assert } from 'node:assert';
import { type PlaceOrder, PurchaseInProgress, type PurchaseResult } from '../../src/engine/decide/command.ts';
import { Rejection } from '../../src/engine/decide/rejection.ts';
import type { ReplyTo } from '../../src/engine/loop/group.ts';
import { NO_KEY, type Order } from '../../src/engine/orders.ts';
import type { SupplierPurchase } from '../../src/engine/supplying/supplier-purchases.ts';
import type { CommandJudge } from './command-judge.ts';
import { Promises } from './promises.ts';
import type { SimulatedNode } from './simulated-node.ts';
import type { SupplierPurchaseAudit } from './supplier-purchase-audit.ts';

export interface SimulatedBuyersOptions {
  readonly audit: SupplierPurchaseAudit;
  readonly judge: CommandJudge;
  /** The texts that an order has delivered. */
  readonly textsOf: (order: Order) => readonly string[];
  /** Told of what isn't as it should be. */
  readonly onFault: (error: unknown) => void;
}

export class SimulatedBuyers {
  readonly #options: SimulatedBuyersOptions;
  readonly #promises = new Promises();

  constructor(options: SimulatedBuyersOptions) {
    this.#options = options;
  }

  buy(node: SimulatedNode, command: PlaceOrder): void {
    const { kept } = this.#promises;
    const told = this.#listener(node, (result) =>
      this.#promises.keep(command, result, this.#options.textsOf, kept),
    );
    node.engine.submit(command, (result) => {
      if (result instanceof PurchaseInProgress) return this.#wait(node, result, told);
      const isPending = !(result instanceof Rejection) && result.order.status === 'pending_delivery';
      if (!isPending || !node.purchasing.waitForDelivery(result.order, told)) told(result);
    });
  }

  pay(node: SimulatedNode, orderId: number): void {
    node.engine.submit({ kind: 'PayOrder', orderId, expectedPriceUsdt: null }, (result) => {
      if (result instanceof PurchaseInProgress) this.#wait(node, result, () => undefined);
    });
  }

  /**
   * Asserts that interrupted purchases say so; `held` are the supplier purchases that the crash found on hold. `land`
   * makes all durable.
   */
  async findInterrupted(
    node: SimulatedNode,
    held: readonly SupplierPurchase[],
    land: () => Promise<void>,
  ): Promise<void> {
    const codes = new Map<string, string | undefined>();
    for (const supplierPurchase of held) {
      const { accountId, idempotencyKey, productId, quantity, expectedPriceUsdt, recipientUsername } =
        supplierPurchase;
      if (idempotencyKey === NO_KEY) continue;
      codes.set(idempotencyKey, undefined);
      const request = {
        accountId,
        idempotencyKey,
        productId,
        quantity,
        expectedPriceUsdt,
        recipientUsername,
        requestNumber: 0,
      };
      node.engine.submit({ kind: 'PlaceOrder', ...request }, (result) => {
        codes.set(idempotencyKey, result instanceof Rejection ? result.code : 'a purchase');
      });
    }
    await land();
    for (const [key, code] of codes) assert.equal(code, 'IDEMPOTENCY_UNRESOLVED', key);
  }

  /** Asserts that every answer stands. */
  async askAgain(node: SimulatedNode, land: () => Promise<void>): Promise<void> {
    const commands = this.#promises.commands();
    const { kept } = this.#promises;
    for (const command of commands) this.buy(node, command);
    await land();
    assert.equal(this.#promises.kept - kept, commands.length, 'not everybody was answered');
  }

  #wait(node: SimulatedNode, purchase: PurchaseInProgress, told: ReplyTo<PurchaseResult>): void {
    const { supplierPurchase } = purchase;
    const checkEnd = this.#listener(node, (result) => this.#checkEnd(supplierPurchase, result));
    node.purchasing.wait(purchase, (result) => {
      checkEnd(result);
      told(result);
    });
  }

  #checkEnd(supplierPurchase: SupplierPurchase, result: PurchaseResult | Rejection): void {
    const { audit, judge } = this.#options;
    const code = result instanceof Rejection ? result.code : undefined;
    if (code === 'INTERNAL_ERROR' && judge.refusedGroups > 0) return;
    assert.equal(code, audit.refusalOf(supplierPurchase), supplierPurchase.reference);
  }

  /** A listener that hears nothing from a dead node; a fault that it finds does not disturb the code under test. */
  #listener(
    node: SimulatedNode,
    listen: (result: PurchaseResult | Rejection) => void,
  ): ReplyTo<PurchaseResult> {
    return (result) => {
      if (node.engine.isDead) return;
      try {
        listen(result);
      } catch (error) {
        this.#options.onFault(error);
      }
    };
  }
}
