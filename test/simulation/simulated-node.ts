/** One life of a node: everything that a crash takes, wired as in production. */
import type { Engine } from '../../src/engine/loop/engine.ts';
import type { EngineOptions } from '../../src/engine/loop/engine-options.ts';
import type { SupplierPurchase } from '../../src/engine/supplying/supplier-purchases.ts';
import { OrderFulfilment } from '../../src/fulfilment/order-fulfilment.ts';
import type { SecretCipher } from '../../src/persistence/keys/secret-cipher.ts';
import { durableStockOf } from '../../src/persistence/stock/product-stock.ts';
import { releaseInterrupted } from '../../src/suppliers/interrupted-holds.ts';
import { PurchaseEndings } from '../../src/suppliers/purchase-endings.ts';
import { PurchaseFollower } from '../../src/suppliers/purchase-follower.ts';
import { SupplierCircuits } from '../../src/suppliers/supplier-circuits.ts';
import type { SupplierPort } from '../../src/suppliers/supplier-port.ts';
import { SupplierPurchasing } from '../../src/suppliers/supplier-purchasing.ts';
import { SupplierReports } from '../../src/suppliers/supplier-report.ts';
import { SimulatedStock, type TextDisk } from './simulated-stock.ts';
import type { SupplierPurchaseAudit } from './supplier-purchase-audit.ts';
import { type Watch, WatchedEngine } from './watched-engine.ts';

export const POLL_MS = 5_000;
export const TIMEOUT_MS = 15_000;

export interface SimulatedNodeOptions {
  readonly engine: Omit<EngineOptions, 'defer'>;
  readonly watch: Watch;
  readonly texts: TextDisk;
  readonly supplier: SupplierPort;
  readonly secrets: SecretCipher;
  readonly audit: SupplierPurchaseAudit;
}

export class SimulatedNode {
  readonly engine: WatchedEngine;
  readonly circuits: SupplierCircuits;
  readonly stock: SimulatedStock;
  readonly fulfilment: OrderFulfilment;
  readonly purchasing: SupplierPurchasing;
  readonly endings: PurchaseEndings;
  readonly follower: PurchaseFollower;
  readonly reports: SupplierReports;
  /** The position of a cut that is durable and not yet folded. */
  #foldable: number | undefined;
  #isCutting = false;
  readonly #stopping = new AbortController();

  constructor({ engine: options, watch, texts, secrets, ...world }: SimulatedNodeOptions) {
    const { clock, history } = options;
    const onFault = (error: unknown) => {
      if (!this.engine.isDead) options.onFault(error);
    };
    const keptBack = () => this.circuits.keptBack();
    this.engine = new WatchedEngine({ ...options, keptBack, onFault, onFatal: onFault }, watch);
    const onHad = (supplierPurchaseId: number) => world.audit.had(supplierPurchaseId);
    this.stock = new SimulatedStock({ disk: texts, engine: this.engine, onHad });
    const engine: Engine = this.engine;
    const stock = this.stock.asStore();
    this.circuits = new SupplierCircuits(world.supplier, clock);
    const supplier = heard(this.circuits, world.audit);
    this.fulfilment = new OrderFulfilment(engine, history, stock, new Uint8Array(32));
    this.purchasing = new SupplierPurchasing({
      engine,
      fulfilment: this.fulfilment,
      supplier,
      timeoutMs: TIMEOUT_MS,
      monotonicMs: clock,
      onDelivered: () => undefined,
      onFailure: () => undefined,
      onFault,
    });
    this.endings = new PurchaseEndings({
      engine,
      fulfilment: this.fulfilment,
      stock,
      isServed: (supplierPurchase) => this.purchasing.isServing(supplierPurchase),
      clock,
      history,
      onReconciled: () => undefined,
      onContrary: () => undefined,
    });
    const { endings } = this;
    this.follower = new PurchaseFollower({ engine, supplier, endings, pollMs: POLL_MS, clock, onFault });
    this.reports = new SupplierReports({
      engine,
      history,
      secrets,
      endings,
      clock,
      onUnknown: () => undefined,
    });
  }

  releaseInterrupted(): Promise<void> {
    return releaseInterrupted(this.engine, this.#stopping.signal);
  }

  kill(): void {
    this.engine.isDead = true;
    this.#stopping.abort();
    void this.endings.stop();
    this.follower.stop();
    this.purchasing.stop();
  }

  /** As operators do it: texts first, then the fact, then the next one's turn. */
  async upload(productId: number, texts: readonly string[]): Promise<void> {
    const { engine, stock } = this;
    const readStock = () => durableStockOf(engine, productId);
    const intake = await stock.beginIntake({ productId, allowDuplicates: false, readStock });
    await intake.writeItems(texts);
    const { firstItem, added: count } = await intake.finish();
    const items = { productId, firstItem, count, recalledItems: intake.recalledItems };
    await new Promise((resolve) => engine.submit({ kind: 'AddStock', ...items }, resolve));
    intake.close();
  }

  cut(): void {
    if (this.#isCutting) return;
    this.#isCutting = true;
    this.engine.cut((position) => {
      this.#foldable = position;
    });
  }

  /** Up to where the checkpoint may go now, when it is to go anywhere. */
  takeFoldable(): number | undefined {
    const position = this.#foldable;
    if (position !== undefined) this.#isCutting = false;
    this.#foldable = undefined;
    return position;
  }
}

/** Lets the audit hear what suppliers say. */
function heard(supplier: SupplierPort, audit: SupplierPurchaseAudit): SupplierPort {
  return {
    async purchase(supplierPurchase: SupplierPurchase, withinMs: number) {
      audit.asked(supplierPurchase, withinMs);
      const answer = await supplier.purchase(supplierPurchase, withinMs);
      audit.answered(supplierPurchase, answer);
      return answer;
    },
    async progress(supplierPurchase: SupplierPurchase) {
      const said = await supplier.progress(supplierPurchase);
      audit.told(supplierPurchase, said);
      return said;
    },
  };
}
