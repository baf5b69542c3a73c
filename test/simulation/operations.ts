/** Everything that can happen to a node, as commands of fast-check, each of which is possible at any time. */
import type fc from 'fast-check';
import type { PlaceOrder } from '../../src/engine/decide/command.ts';
import type { ProductProfile } from '../../src/engine/products.ts';
import { type Operation, operation } from './operation.ts';
import { truth } from './simulated-supplier.ts';
import type { Simulation } from './simulation.ts';
import { apiKey, sourcesOf } from './start.ts';

/** The state that the operations of one run share. */
export class Stage {
  readonly simulation: Simulation;
  readonly purchases: PlaceOrder[] = [];
  uploaded = 0;
  /** The new texts of the last upload. */
  lastUpload: readonly string[] = [];
  keys = 0;

  constructor(simulation: Simulation) {
    this.simulation = simulation;
  }
}

class Step implements fc.AsyncCommand<Stage, Stage> {
  readonly #operation: Operation;

  constructor(operation: Operation) {
    this.#operation = operation;
  }

  check(): boolean {
    return true;
  }

  async run(stage: Stage): Promise<void> {
    await perform(stage, this.#operation);
    await stage.simulation.settle();
    stage.simulation.inspection.afterStep();
  }

  toString(): string {
    const { kind, ...fields } = this.#operation;
    return `${kind} ${JSON.stringify(fields)}`;
  }
}

export const steps: fc.Arbitrary<fc.AsyncCommand<Stage, Stage>> = operation.map((one) => new Step(one));

async function perform(stage: Stage, step: Operation): Promise<void> {
  const { simulation } = stage;
  switch (step.kind) {
    case 'buy':
      return buy(stage, step);
    case 'again': {
      const before = stage.purchases[step.nth % stage.purchases.length];
      if (before === undefined) return;
      const isOther = step.hasOtherBody === 0;
      simulation.buy({ ...before, keySha256: undefined, quantity: before.quantity + (isOther ? 1 : 0) });
      return;
    }
    case 'answer':
      if (simulation.supplier.openCalls > 0) simulation.supplier.answer(step.nth, step.answer, step.shape);
      return;
    case 'unplug':
      return simulation.supplier.unplug(step.supplier, step.isUp);
    case 'tell':
      if (simulation.supplier.openPolls === 0) return;
      return simulation.supplier.tell(step.nth, step.fate, step.shape, step.isSilent === 0);
    case 'report':
      return report(simulation, step);
    case 'reconcile':
      return void simulation.node.follower.askAll();
    case 'give up':
      return simulation.giveUp(step.nth);
    case 'say stock': {
      const { supplier: supplierId, available, products } = step;
      const changes = products.map((productId) => ({ productId, sku: `sku ${productId}`, available }));
      return simulation.operate({ kind: 'RecordSupplierStock', supplierId, changes });
    }
    case 'operate':
      return simulation.operate(step.command);
    case 'pay':
      return simulation.pay(1 + (step.nth % (simulation.shop.orders.length + 1)));
    case 'wait':
      return simulation.advance(step.ms);
    case 'land':
      return simulation.disk.log.land();
    case 'write':
      return simulation.node.stock.land();
    case 'look':
      return simulation.look();
    case 'cut':
      return simulation.node.cut();
    case 'fold':
      return simulation.fold();
    case 'fill':
      return simulation.fill();
    case 'room':
      return simulation.makeRoom();
    case 'crash':
      return simulation.crash(step);
    default:
      return operate(stage, step);
  }
}

function buy({ simulation, purchases }: Stage, step: Extract<Operation, { kind: 'buy' }>): void {
  const total = simulation.shop.totalOf(step.account, step.product, step.quantity);
  const command: PlaceOrder = {
    kind: 'PlaceOrder',
    accountId: step.account,
    idempotencyKey: `key ${purchases.length}`,
    productId: step.product,
    quantity: step.quantity,
    expectedPriceUsdt: total + (step.isExpected === 0 ? 1 : 0),
    recipientUsername: null,
    requestNumber: 0,
    keySha256: step.hasOldKey === 0 ? 'an older key' : simulation.shop.keys[step.account],
  };
  purchases.push(command);
  simulation.buy(command);
}

function report(simulation: Simulation, step: Extract<Operation, { kind: 'report' }>): void {
  const { supplier } = simulation;
  const purchase = supplier.purchases[step.nth % supplier.purchases.length];
  if (purchase === undefined) return;
  if (step.manner !== 'right') {
    const items = Array.from({ length: purchase.supplierPurchase.quantity }, (_, index) => `a lie ${index}`);
    void simulation.reports.send(purchase, { kind: 'delivered', items }, step.manner);
    return;
  }
  if (step.isKept) supplier.correct(purchase, step.shape);
  supplier.decide(purchase, step.isKept ? 'delivered' : 'failed', step.shape);
  const said = truth(purchase);
  if (said.kind === 'delivered' || said.kind === 'failed')
    void simulation.reports.send(purchase, said, step.manner);
}

type OperatorStep = Extract<
  Operation,
  { kind: 'stock' | 'recall' | 'change' | 'key' | 'complete' | 'fail' | 'refund' | 'replace' }
>;

function operate(stage: Stage, step: OperatorStep): void {
  const { simulation } = stage;
  const orderId = 'nth' in step ? 1 + (step.nth % (simulation.shop.orders.length + 1)) : 0;
  switch (step.kind) {
    case 'stock': {
      const old = step.isOld ? [...stage.lastUpload, ...simulation.supplier.soldLast] : [];
      stage.lastUpload = fresh(stage, 'uploaded', step.count);
      return simulation.upload(step.product, [...stage.lastUpload, ...old]);
    }
    case 'recall': {
      const { lastLotId } = simulation.node.engine.state;
      return simulation.operate({ kind: 'RecallLot', lotId: 1 + (step.nth % (lastLotId + 1)) });
    }
    case 'change':
      return simulation.operate({ kind: 'UpdateProduct', productId: step.product, changes: changesOf(step) });
    case 'key':
      stage.keys += 1;
      return simulation.operate({
        kind: 'IssueKey',
        accountId: step.account,
        key: apiKey(`key ${stage.keys}`),
      });
    case 'complete':
      return simulation.complete(orderId, fresh(stage, 'by hand', step.texts));
    case 'fail':
      return simulation.operate({ kind: 'FailOrder', orderId });
    case 'refund':
      return simulation.operate({ kind: 'RefundOrder', orderId, key: step.key, ...step.part });
    case 'replace':
      return simulation.operate({ kind: 'ReplaceItems', orderId, key: step.key, items: step.places });
  }
}

function fresh(stage: Stage, what: string, count: number): string[] {
  return Array.from({ length: count }, () => {
    stage.uploaded += 1;
    return `${what} ${stage.uploaded}`;
  });
}

function changesOf({
  product: productId,
  change: wanted,
}: Extract<Operation, { kind: 'change' }>): Partial<ProductProfile> {
  return 'suppliers' in wanted ? { sources: sourcesOf(productId, wanted.suppliers) } : wanted;
}
