/**
 * The suppliers, wired: the protocol, in its thread ─▶ circuits ─▶ purchasing (purchases in progress), follower (what
 * stayed open), its endings and its watch, stock (what they say they have).
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Alerts } from '../alerts/alerts.ts';
import type { Config } from '../config/config.ts';
import type { History } from '../engine/decide/history.ts';
import type { Engine } from '../engine/loop/engine.ts';
import type { KeptBack } from '../engine/supplying/next-source.ts';
import type { SupplierPurchase } from '../engine/supplying/supplier-purchases.ts';
import type { OrderFulfilment } from '../fulfilment/order-fulfilment.ts';
import type { ClientAddresses } from '../http/limits/client-address.ts';
import type { SupplierServices } from '../http/operator/operator-services.ts';
import { supplierCallbackRoute } from '../http/supplier-callback.ts';
import type { DataKeys } from '../persistence/keys/data-keys.ts';
import { SecretCipher } from '../persistence/keys/secret-cipher.ts';
import type { StockStore } from '../persistence/stock/stock-store.ts';
import { releaseInterrupted } from '../suppliers/interrupted-holds.ts';
import type { LateItems } from '../suppliers/late-items.ts';
import { PurchaseEndings, type Said } from '../suppliers/purchase-endings.ts';
import { PurchaseFollower } from '../suppliers/purchase-follower.ts';
import { SupplierCircuits } from '../suppliers/supplier-circuits.ts';
import { SupplierPurchasing } from '../suppliers/supplier-purchasing.ts';
import { SupplierReports } from '../suppliers/supplier-report.ts';
import { SupplierStock } from '../suppliers/supplier-stock.ts';
import { SupplierThread } from '../suppliers/supplier-thread.ts';

/** The time from a supplier's answer to the buyer's: two commits and the texts in between. */
const AFTER_ANSWER_MS = 1_000;

export interface SupplierPartsOptions {
  readonly config: Config;
  readonly log: Logger;
  readonly alerts: Alerts;
  readonly keys: DataKeys;
  readonly engine: Engine;
  readonly history: History;
  readonly stock: StockStore;
  readonly fulfilment: OrderFulfilment;
  /** The process must stop. */
  readonly onFatal: (error: unknown) => void;
  readonly onFault: (error: unknown) => void;
  /** See `SupplierThreadData`. */
  readonly lease?: SharedArrayBuffer | undefined;
}

export class SupplierParts {
  /** Where purchases wait for a supplier. */
  readonly purchasing: SupplierPurchasing;
  readonly #options: SupplierPartsOptions;
  readonly secrets: SecretCipher;
  readonly #supplier: SupplierThread;
  readonly #circuits: SupplierCircuits;
  readonly #endings: PurchaseEndings;
  readonly #follower: PurchaseFollower;
  readonly #stock: SupplierStock;
  readonly #stopping = new AbortController();

  constructor(options: SupplierPartsOptions) {
    const { config, log, engine, history, fulfilment, stock, onFault } = options;
    this.#options = options;
    this.secrets = new SecretCipher(options.keys, 'supplier secret');
    this.#supplier = new SupplierThread({
      suppliers: () => engine.state.suppliers,
      keys: options.keys.shared,
      timeoutMs: config.supplierTimeoutMs,
      dnsServer: config.dnsServer,
      lease: options.lease,
      onFatal: options.onFatal,
    });
    this.#circuits = new SupplierCircuits(this.#supplier, () => performance.now());
    this.purchasing = new SupplierPurchasing({
      engine,
      fulfilment,
      supplier: this.#circuits,
      timeoutMs: config.supplierTimeoutMs,
      monotonicMs: () => performance.now(),
      onDelivered: (supplierPurchase, isRight) => this.#circuits.judged(supplierPurchase, isRight),
      onFailure: ({ supplierId, reference }, why) =>
        log.warn({ supplierId, reference, why }, 'a supplier did not deliver'),
      onFault,
    });
    this.#endings = new PurchaseEndings({
      engine,
      fulfilment,
      stock,
      isServed: (supplierPurchase) => this.purchasing.isServing(supplierPurchase),
      clock: Date.now,
      history,
      onReconciled: this.#onReconciled,
      onContrary: this.#onContrary,
    });
    this.#follower = new PurchaseFollower({
      engine,
      supplier: this.#circuits,
      endings: this.#endings,
      pollMs: config.supplierPollMs,
      clock: Date.now,
      onFault,
    });
    this.#stock = new SupplierStock({
      engine,
      ask: this.#supplier.askStock,
      refreshMs: config.supplierStockRefreshMs,
      monotonicMs: () => performance.now(),
    });
  }

  /** Starts the suppliers, before the first request: holds of the last run are released. Waits for no supplier. */
  async start(): Promise<void> {
    this.#tellUnreadableSecrets();
    await this.#supplier.start();
    await releaseInterrupted(this.#options.engine, this.#stopping.signal);
    this.#follower.start();
    this.#stock.start();
  }

  /** How long purchases may wait for the suppliers that are being asked; 0 when none is. */
  get longestAnswerMs(): number {
    return this.purchasing.underWay === 0 ? 0 : this.#options.config.supplierTimeoutMs + AFTER_ANSWER_MS;
  }

  /**
   * Waits for the suppliers that are being asked for something, whoever still waits for it: what they sell must be somebody's.
   * Not longer than a supplier may take. Nobody may buy any more.
   */
  async drain(): Promise<void> {
    await Promise.race([this.purchasing.drain(), delay(this.longestAnswerMs, undefined, { ref: false })]);
  }

  /** Ends, after `drain`, what is under way at suppliers; its outcome is asked for after the next start. */
  async stop(): Promise<void> {
    await this.#options.engine.idle();
    await this.drain();
    this.#stopping.abort();
    const ended = [this.#follower.stop(), this.purchasing.stop(), this.#endings.stop()];
    this.#stock.stop();
    await this.#supplier.close();
    await Promise.all(ended);
  }

  readonly keptBack: KeptBack = () => this.#circuits.keptBack();
  readonly counts = () => this.#circuits.counts();
  readonly openCircuits = () => this.#circuits.openCircuits();

  services(): SupplierServices {
    return {
      seal: (secret) => this.secrets.seal(secret),
      askAll: () => this.#follower.askAll(),
      giveUp: (supplierPurchase, origin) => this.#endings.giveUp(supplierPurchase, origin),
      lookForStock: (productId) => this.#stock.look(productId),
      isCircuitOpen: (supplierId) => this.#circuits.isOpen(supplierId),
    };
  }

  callbackRoute(clientAddresses: ClientAddresses) {
    const { engine, history, log } = this.#options;
    const reports = new SupplierReports({
      engine,
      history,
      secrets: this.secrets,
      endings: this.#endings,
      clock: Date.now,
      onUnknown: (supplierId, reference) =>
        log.warn({ supplierId, reference }, 'a supplier reported a purchase that it was not asked for'),
    });
    return supplierCallbackRoute({ reports, clientAddresses });
  }

  #tellUnreadableSecrets(): void {
    const { engine, log } = this.#options;
    for (const supplier of engine.state.suppliers.values()) {
      if (this.secrets.open(supplier.profile.sealedSecret) !== undefined) continue;
      const { supplierId } = supplier;
      log.warn(
        { supplierId },
        "cannot decrypt a supplier's secret with this master key: set the secret again",
      );
    }
  }

  readonly #onContrary = ({ supplierId, reference, productId }: SupplierPurchase, said: Said): void => {
    const itemsDelivered = said.kind === 'delivered' ? said.items.length : 0;
    const report = { supplierId, reference, productId, itemsDelivered };
    this.#options.log.warn(
      report,
      'a supplier says something else of a purchase than when it had delivered it',
    );
    this.#options.alerts.tellContraryReport(report);
  };

  readonly #onReconciled = (supplierPurchase: SupplierPurchase, items: LateItems): void => {
    const { supplierId, reference, productId } = supplierPurchase;
    const { delivered: itemsDelivered, intoStock, duplicates, unsellable } = items;
    const ids = { supplierId, reference, productId };
    this.#options.log.info(
      { ...ids, itemsDelivered, items: intoStock, duplicates, unsellable },
      'a supplier purchase has ended without an order',
    );
    if (itemsDelivered === 0) return;
    this.#options.alerts.tellLateDelivery({ ...ids, itemsDelivered, items: intoStock });
  };
}
