/** One life of a node: everything that a crash takes, wired as in production. */
import type { Engine, EngineOptions } from '../../src/engine/engine.ts';
import type { Supply } from '../../src/engine/supplies.ts';
import { DeliveryDesk } from '../../src/persistence/stock/delivery-desk.ts';
import { durableStockOf } from '../../src/persistence/stock/product-stock.ts';
import { releaseInterrupted } from '../../src/suppliers/interrupted-holds.ts';
import { SupplierCircuits } from '../../src/suppliers/supplier-circuits.ts';
import type { SupplierPort } from '../../src/suppliers/supplier-port.ts';
import { SupplierReports } from '../../src/suppliers/supplier-report.ts';
import type { SupplierSecrets } from '../../src/suppliers/supplier-secrets.ts';
import { SupplyDesk } from '../../src/suppliers/supply-desk.ts';
import { SupplyEndings } from '../../src/suppliers/supply-endings.ts';
import { SupplyFollower } from '../../src/suppliers/supply-follower.ts';
import { SimulatedStock, type TextDisk } from './simulated-stock.ts';
import type { SupplyAudit } from './supply-audit.ts';
import { type Watch, WatchedEngine } from './watched-engine.ts';

export const POLL_MS = 5_000;

export interface SimulatedNodeOptions {
  readonly engine: Omit<EngineOptions, 'defer'>;
  readonly watch: Watch;
  readonly texts: TextDisk;
  readonly supplier: SupplierPort;
  readonly secrets: SupplierSecrets;
  readonly audit: SupplyAudit;
}

export class SimulatedNode {
  readonly engine: WatchedEngine;
  readonly stock: SimulatedStock;
  readonly deliveries: DeliveryDesk;
  readonly desk: SupplyDesk;
  readonly endings: SupplyEndings;
  readonly follower: SupplyFollower;
  readonly reports: SupplierReports;
  /** Of a cut that is durable and not yet folded. */
  #foldable: number | undefined;
  #isCutting = false;
  readonly #stopping = new AbortController();

  constructor({ engine: options, watch, texts, secrets, ...world }: SimulatedNodeOptions) {
    const { clock, history } = options;
    const onFault = (error: unknown) => {
      if (!this.engine.isDead) options.onFault(error);
    };
    this.engine = new WatchedEngine({ ...options, onFault, onFatal: onFault }, watch);
    const onHad = (supplyId: number) => world.audit.had(supplyId);
    this.stock = new SimulatedStock({ disk: texts, onHad });
    const engine: Engine = this.engine;
    const stock = this.stock.asStore();
    const supplier = heard(new SupplierCircuits(world.supplier, clock), world.audit);
    this.deliveries = new DeliveryDesk(engine, history, stock);
    this.desk = new SupplyDesk({
      engine,
      deliveries: this.deliveries,
      supplier,
      onDelivered: () => undefined,
      onFailure: () => undefined,
      onFault,
    });
    this.endings = new SupplyEndings({
      engine,
      deliveries: this.deliveries,
      stock,
      isServed: (supply) => this.desk.isServing(supply),
      clock,
      onReconciled: () => undefined,
    });
    const { endings } = this;
    this.follower = new SupplyFollower({ engine, supplier, endings, pollMs: POLL_MS, clock, onFault });
    this.reports = new SupplierReports({ engine, secrets, endings, clock });
  }

  releaseInterrupted(): Promise<void> {
    return releaseInterrupted(this.engine, this.#stopping.signal);
  }

  kill(): void {
    this.engine.isDead = true;
    this.#stopping.abort();
    this.endings.close();
    this.follower.stop();
    this.desk.stop();
  }

  /** As operators do it: texts first, then the fact, then the next one's turn. */
  async upload(productId: number, texts: readonly string[]): Promise<void> {
    const { engine, stock } = this;
    const intake = await stock.beginIntake({
      productId,
      allowDuplicates: false,
      readStock: () => durableStockOf(engine, productId),
    });
    await intake.writeItems(texts);
    const { firstItem, added: count } = await intake.finish();
    await new Promise((resolve) => engine.submit({ kind: 'AddStock', productId, firstItem, count }, resolve));
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
function heard(supplier: SupplierPort, audit: SupplyAudit): SupplierPort {
  return {
    async purchase(supply: Supply) {
      const answer = await supplier.purchase(supply);
      audit.answered(supply, answer);
      return answer;
    },
    async progress(supply: Supply) {
      const said = await supplier.progress(supply);
      audit.told(supply, said);
      return said;
    },
  };
}
