/** Everything that can happen to a node, as commands of fast-check, each of which is possible at any time. */
import fc from 'fast-check';
import type { Command, PlaceOrder } from '../../src/engine/decide/command.ts';
import type { ProductProfile } from '../../src/engine/products.ts';
import { FATES, SHAPES, truth } from './simulated-supplier.ts';
import { REPORT_MANNERS, type Simulation } from './simulation.ts';
import { ACCOUNTS, apiKey, STOCKED, SUPPLIERS, TYPES } from './start.ts';

const ANSWERS = [
  'delivered',
  'delivered',
  'delivered',
  'pending',
  'out_of_stock',
  'unreached',
  'failed',
  'timeout',
] as const;
const WAITS_MS = [300, 5_000, 16_000, 660_000] as const;

const nth = fc.nat({ max: 20 });
const account = fc.constantFrom(...ACCOUNTS);
const product = fc.integer({ min: 1, max: TYPES.length });
const stocked = fc.integer({ min: 1, max: STOCKED });
const quantity = fc.integer({ min: 1, max: 3 });
const shape = fc.constantFrom(...SHAPES);
const fate = fc.constantFrom(...FATES);
/** Keys of refunds and replacements: few, so that some come again. */
const key = fc.constantFrom('i', 'j', 'k');
/** One more than an order has. */
const places = fc.constantFrom([0], [1], [2], [3], [0, 1], [1, 2]);
const part = fc.oneof(
  fc.constant({}),
  fc.record({ amountMicros: fc.constantFrom(1e6, 2e6, 3e6) }),
  fc.record({ items: places }),
);
const change = fc.oneof(
  fc.record({ priceMicros: fc.constantFrom(1e6, 2e6, 3e6) }),
  fc.record({ active: fc.constantFrom(true, true, false) }),
  fc.record({ source: fc.option(fc.constantFrom(...SUPPLIERS)) }),
);

const of = <Kind extends string, Fields>(
  kind: Kind,
  fields: { [Name in keyof Fields]: fc.Arbitrary<Fields[Name]> },
) => fc.record({ ...fields, kind: fc.constant(kind) }) as fc.Arbitrary<Fields & { kind: Kind }>;

/** An operator's command whose fields are known beforehand. */
const asked = <Kind extends Command['kind'], Fields>(
  kind: Kind,
  fields: { [Name in keyof Fields]: fc.Arbitrary<Fields[Name]> },
) => of('operate', { command: of(kind, fields) });

const operation = fc.oneof(
  {
    weight: 18,
    arbitrary: of('buy', { account, product, quantity, isExpected: fc.nat(9), hasOldKey: fc.nat(14) }),
  },
  { weight: 4, arbitrary: of('again', { nth, hasOtherBody: fc.nat(3) }) },
  {
    weight: 2,
    arbitrary: asked('CreditWallet', {
      accountId: account,
      amountMicros: fc.integer({ min: -24, max: 12 }).map((usdt) => usdt * 1e6),
      reference: fc.nat(30).map((number) => `credit ${number}`),
    }),
  },
  { weight: 2, arbitrary: of('stock', { product: stocked, count: quantity, isOld: fc.boolean() }) },
  { weight: 1, arbitrary: asked('WithdrawStock', { productId: stocked, count: quantity }) },
  { weight: 1, arbitrary: of('recall', { nth }) },
  { weight: 1, arbitrary: of('change', { product: fc.integer({ min: 1, max: STOCKED }), change }) },
  { weight: 1, arbitrary: of('key', { account }) },
  {
    weight: 5,
    arbitrary: asked('OpenOrder', {
      ...{ accountId: account, productId: product, quantity },
      ...{ recipientUsername: fc.constant(null), requestNumber: fc.constant(0) },
    }),
  },
  { weight: 9, arbitrary: of('pay', { nth }) },
  { weight: 2, arbitrary: of('complete', { nth, texts: fc.nat(2) }) },
  { weight: 4, arbitrary: of('fail', { nth }) },
  { weight: 3, arbitrary: of('refund', { nth, key, part }) },
  { weight: 3, arbitrary: of('replace', { nth, key, places }) },
  {
    weight: 1,
    arbitrary: asked('SetKeyActive', { accountId: account, isActive: fc.constantFrom(true, true, false) }),
  },
  { weight: 10, arbitrary: of('answer', { nth, answer: fc.constantFrom(...ANSWERS), shape }) },
  { weight: 8, arbitrary: of('tell', { nth, fate, shape, isSilent: fc.nat(6) }) },
  {
    weight: 4,
    arbitrary: of('report', { nth, isKept: fc.boolean(), shape, manner: fc.constantFrom(...REPORT_MANNERS) }),
  },
  { weight: 1, arbitrary: of('reconcile', {}) },
  { weight: 1, arbitrary: of('give up', { nth }) },
  {
    weight: 3,
    arbitrary: of('say stock', {
      supplier: fc.constantFrom(...SUPPLIERS),
      available: fc.constantFrom(0, 3, 7, 'unlimited' as const),
      products: fc.uniqueArray(fc.integer({ min: 1, max: STOCKED }), { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 1, arbitrary: asked('CloseEventGroup', { windowMs: fc.constantFrom(0, 1_000) }) },
  { weight: 3, arbitrary: of('wait', { ms: fc.constantFrom(...WAITS_MS) }) },
  { weight: 16, arbitrary: of('land', {}) },
  { weight: 6, arbitrary: of('write', {}) },
  { weight: 2, arbitrary: of('look', {}) },
  { weight: 1, arbitrary: of('cut', {}) },
  { weight: 2, arbitrary: of('fold', {}) },
  { weight: 1, arbitrary: of('fill', {}) },
  { weight: 6, arbitrary: of('room', {}) },
  {
    weight: 4,
    arbitrary: of('crash', {
      isGroupWritten: fc.boolean(),
      textsWritten: fc.nat(2),
      comesAgain: fc.boolean(),
    }),
  },
);

type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never;

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
  const price = simulation.shop.product(step.product)?.price ?? 0;
  const command: PlaceOrder = {
    kind: 'PlaceOrder',
    accountId: step.account,
    idempotencyKey: `key ${purchases.length}`,
    productId: step.product,
    quantity: step.quantity,
    expectedPriceUsdt: price * step.quantity + (step.isExpected === 0 ? 1 : 0),
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
    void simulation.report(purchase, { kind: 'delivered', items }, step.manner);
    return;
  }
  if (step.isKept) supplier.correct(purchase, step.shape);
  supplier.decide(purchase, step.isKept ? 'delivered' : 'failed', step.shape);
  const said = truth(purchase);
  if (said.kind === 'delivered' || said.kind === 'failed')
    void simulation.report(purchase, said, step.manner);
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
  if (!('source' in wanted)) return wanted;
  const { source: supplierId } = wanted;
  return { source: supplierId === null ? null : { supplierId, sku: `sku ${productId}` } };
}
